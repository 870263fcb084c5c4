// The phases of a pass as data. A phase has writes, and steps that say what the pass concludes from their outcomes. A
// pass with several phases performs all writes in order, and then applies all steps in the same order. Pure.
import { toAggregateText } from '@capi-serverless/apimachinery';
import { failedWrites, type NeededWrite } from './outcomes.ts';
import type { Action, EventDraft, Outcomes, Report, Result } from './types.ts';

export interface Phase<Change> {
  readonly actions: readonly Action[];
  readonly steps: readonly Step<Change>[];
}

/** What a pass concludes. The outcomes of the needed writes select the change. */
export interface Step<Change> {
  /** The change if none of `needs` failed. A function if outcomes determine its content. Must be pure. */
  readonly change: Change | ((outcomes: Outcomes) => Change);
  /** If it returns false, the step concludes nothing. Must be pure. */
  readonly when?: (outcomes: Outcomes) => boolean;
  /** Default: no writes. */
  readonly needs?: readonly NeededWrite[];
  /** The change if one of `needs` failed, in addition to the errors. Default: no change. */
  readonly otherwise?: Change;
}

/** The fields that the changes of all reconcilers have. An absent field changes nothing. */
export interface PassChange {
  readonly errors?: readonly string[];
  /** The milliseconds until the next reconcile, for each request. */
  readonly requeues?: readonly number[];
  readonly events?: readonly EventDraft[];
  /** Whether another pass must observe the writes of this one. */
  readonly again?: true;
}

/** The state of a pass after some of its steps. Reconcilers add fields. */
export interface PassProgress {
  readonly errors: readonly string[];
  readonly requeues: readonly number[];
  readonly events: readonly EventDraft[];
  readonly again: boolean;
}

/** The state before the first step. */
export const noProgress: PassProgress = { errors: [], requeues: [], events: [], again: false };

/** Returns a phase without writes. */
export function concluded<Change>(...changes: readonly Change[]): Phase<Change> {
  return { actions: [], steps: changes.map(change => ({ change })) };
}

/** Returns the phases as one. */
export function inOrder<Change>(phases: readonly Phase<Change>[]): Phase<Change> {
  return { actions: phases.flatMap(({ actions }) => actions), steps: phases.flatMap(({ steps }) => steps) };
}

/** Returns the phase without writes and conclusions if earlier outcomes do not allow it. */
export function onlyIf<Change>(
  isAllowed: (outcomes: Outcomes) => boolean,
  { actions, steps }: Phase<Change>,
): Phase<Change> {
  const withCondition = <T extends Pick<Action, 'when'>>(part: T): T => ({
    ...part,
    when: (outcomes: Outcomes) => isAllowed(outcomes) && part.when?.(outcomes) !== false,
  });
  return { actions: actions.map(withCondition), steps: steps.map(withCondition) };
}

/**
 * Returns the changes of the steps for these outcomes. Each step contributes, even if an earlier one failed. A write
 * without an outcome is treated as successful.
 */
export function changesAfter<Change extends PassChange>(
  steps: readonly Step<Change>[],
  outcomes: Outcomes,
): readonly (Change | Pick<PassChange, 'errors'>)[] {
  return steps.flatMap(({ change, when, needs = [], otherwise }) => {
    if (when?.(outcomes) === false) {
      return [];
    }
    const errors = failedWrites(needs, outcomes);
    if (errors !== undefined) {
      return otherwise === undefined ? [{ errors }] : [{ errors }, otherwise];
    }
    return [typeof change === 'function' ? change(outcomes) : change];
  });
}

/** Replaces the fields of the change. Errors, requeues and events are appended. */
export function applied<Progress extends PassProgress>(
  progress: Progress,
  change: PassChange & Partial<Omit<Progress, keyof PassProgress>>,
): Progress {
  const { errors = [], requeues = [], events = [], again = false } = change;
  return {
    ...progress,
    ...change,
    errors: [...progress.errors, ...errors],
    requeues: [...progress.requeues, ...requeues],
    events: [...progress.events, ...events],
    again: progress.again || again,
  };
}

/** Errors have precedence, without duplicates. Then another pass follows, or the shortest requeue is used. */
export function resultOf({ errors, again, requeues }: Omit<PassProgress, 'events'>): Result {
  if (errors.length > 0) {
    return failedResult(errors);
  }
  if (again) {
    return { kind: 'again' };
  }
  return requeues.length > 0 ? { kind: 'requeueAfter', ms: Math.min(...requeues) } : { kind: 'done' };
}

/** The report of a reconciler that writes no status. */
export function reportResult({ steps }: Phase<PassChange>, outcomes: Outcomes): Report {
  return { events: [], result: resultOf(changesAfter(steps, outcomes).reduce(applied, noProgress)) };
}

/** The pass is retried with backoff. */
export function failedResult(errors: readonly string[]): Result {
  return { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false };
}
