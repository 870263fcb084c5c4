// The condition Paused. It reports whether an object is paused, and by which setting. The same rules apply to all core
// kinds.
import type { Condition, ReportedCondition } from './condition.ts';
import { hasSameState, hasSameStateExceptGeneration } from './equality.ts';
import { getCondition } from './get.ts';

/** The annotation that pauses any object of Cluster API, with any value. */
export const pausedAnnotation = 'cluster.x-k8s.io/paused';

interface Pausable {
  readonly kind: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether `spec.paused` of the Cluster is set: of the object itself, or of the Cluster to which it belongs. */
  readonly isClusterPaused?: boolean;
}

/** The condition without observedGeneration. The setter of the condition adds it. */
export function pausedCondition({ kind, annotations, isClusterPaused = false }: Pausable): ReportedCondition {
  const switches = [
    ...(isClusterPaused ? ['Cluster spec.paused is set to true'] : []),
    ...(pausedAnnotation in annotations ? [`${kind} has the ${pausedAnnotation} annotation`] : []),
  ];
  return switches.length > 0
    ? { type: 'Paused', status: 'True', reason: 'Paused', message: switches.join(', ') }
    : { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' };
}

/**
 * 'write': the pass writes only the condition. 'paused': the condition is stored, so nothing is written. 'open': the
 * pass continues.
 */
export type PauseGate = 'write' | 'paused' | 'open';

/** While an object is not paused, the observedGeneration of its condition is updated with the rest of the status. */
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
