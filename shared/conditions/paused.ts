// Paused: whether an object is left alone, by which switch, and what a pass has to do about it. The same for all core kinds.
import { pausedAnnotation } from '../api/cluster/reader.ts';
import type { Condition, ReportedCondition } from './condition.ts';
import { hasSameState, hasSameStateExceptGeneration } from './equality.ts';
import { getCondition } from './get.ts';

export interface Pausable {
  readonly kind: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of kinds that have `spec.paused`. */
  readonly isSpecPaused?: boolean;
}

/** What the condition shall say; observedGeneration is left to whoever sets it. */
export function pausedCondition({ kind, annotations, isSpecPaused = false }: Pausable): ReportedCondition {
  const switches = [
    ...(isSpecPaused ? [`${kind} spec.paused is set to true`] : []),
    ...(pausedAnnotation in annotations ? [`${kind} has the ${pausedAnnotation} annotation`] : []),
  ];
  return switches.length > 0
    ? { type: 'Paused', status: 'True', reason: 'Paused', message: switches.join(', ') }
    : { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' };
}

/** 'write': the condition has to be written, alone. 'paused': it says so already, nothing is to be done. 'open': go on. */
export type PauseGate = 'write' | 'paused' | 'open';

/** While an object is not paused, the generation of its condition moves along with the rest of the status. */
export function pauseGate(stored: readonly Condition[], wanted: ReportedCondition, generation: number): PauseGate {
  const current = getCondition(stored, wanted.type);
  if (current === undefined || !hasSameStateExceptGeneration(current, wanted)) {
    return 'write';
  }
  if (wanted.status === 'False') {
    return 'open';
  }
  return hasSameState(current, { ...wanted, observedGeneration: generation }) ? 'paused' : 'write';
}
