// The end of a pass before its phases: the finalizer is missing, the condition Paused is outdated, or an object could not
// be read. Pure.
import { toDisplayName, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import {
  type Condition,
  pauseGate,
  type ReportedCondition,
  setCondition,
} from '@capi-serverless/cluster-api/conditions';
import { lacksFinalizer, patchFinalizers } from './finalizers.ts';
import { failureOf } from './outcomes.ts';
import { failedResult } from './phases.ts';
import type { Action, Outcomes, Report, Stop } from './types.ts';

/** The object of a reconcile, as its reader returns it. */
export interface Primary {
  readonly object: Unstructured;
  readonly metadata: { readonly generation: number };
  readonly status: { readonly conditions: readonly Condition[] };
}

export type EarlyEnd = {
  readonly actions: readonly Action[];
} /** The finalizer is missing. It is the only write of the pass. `problem` is the prefix of the error. */ & (
  | { readonly end: 'finalizer'; readonly problem: string }
  /** The condition Paused is missing or outdated. It is the only write of the pass. */
  | { readonly end: 'pausedCondition'; readonly primary: Primary; readonly paused: ReportedCondition }
  /** An object that determines all others could not be read. The pass writes nothing. */
  | { readonly end: 'blocked'; readonly error: string }
);

export const addFinalizerId = 'finalizer:add';

/** Returns `undefined` if the object has the finalizer, or if it is being deleted. */
export function finalizerGate(
  { object }: Pick<Primary, 'object'>,
  finalizer: string,
  problem = patchProblem(object),
): EarlyEnd | undefined {
  const { finalizers = [] } = object.metadata;
  return lacksFinalizer(object, finalizer)
    ? { end: 'finalizer', problem, actions: [patchFinalizers(addFinalizerId, object, [...finalizers, finalizer])] }
    : undefined;
}

/** Returns `undefined` if the object is not paused and its condition says so. Stops if both say that it is paused. */
export function pausedGate(primary: Primary, paused: ReportedCondition): EarlyEnd | Stop | undefined {
  switch (pauseGate(primary.status.conditions, paused, primary.metadata.generation)) {
    case 'write':
      return { end: 'pausedCondition', primary, paused, actions: [] };
    case 'paused':
      return { stop: 'paused' };
    case 'open':
      return undefined;
  }
}

export function blocked(error: string): EarlyEnd {
  return { end: 'blocked', error, actions: [] };
}

export function isEarlyEnd(plan: object): plan is EarlyEnd {
  return 'end' in plan;
}

/** Returns the error of a refused patch of this object. */
export function patchProblem({ kind, metadata }: Unstructured): string {
  return `failed to patch ${kind} ${toDisplayName(metadata)}`;
}

/** Only the condition Paused is reported. The other parts of the status are kept. */
export function reportEarlyEnd(early: EarlyEnd, outcomes: Outcomes, now: number): Report {
  switch (early.end) {
    case 'finalizer': {
      const failure = failureOf(outcomes, addFinalizerId);
      const result =
        failure === undefined ? ({ kind: 'again' } as const) : failedResult([`${early.problem}: ${failure.message}`]);
      return { events: [], result };
    }
    case 'pausedCondition': {
      const { primary, paused } = early;
      const { generation } = primary.metadata;
      const conditions = setCondition(primary.status.conditions, paused, { generation, now });
      return {
        status: { status: { ...toRecord(primary.object.status), conditions } },
        events: [],
        result: { kind: paused.status === 'True' ? 'done' : 'again' },
      };
    }
    case 'blocked':
      return { events: [], result: failedResult([early.error]) };
  }
}
