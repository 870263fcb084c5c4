// The annotation `lose`: the object takes itself away, as if somebody had removed it behind the provider's back.
import { toDisplayName, toRef, type Unstructured } from '../../../shared/api/object.ts';
import type { Action, Outcomes, Reconciler, Report } from '../../../shared/kernel/types.ts';
import { ordersOf } from './orders.ts';

export interface Vanishing {
  readonly vanishing: Unstructured;
}

export type SimulatedReconciler = Reconciler<unknown, object>;

/** The same reconciler, for objects that may be told to vanish. Nothing stops them: neither a pause nor a finalizer. */
export function vanishing<Seen extends object>(
  inner: Reconciler<unknown, Seen>,
): Reconciler<unknown, Seen | Vanishing> {
  return {
    declaration: inner.declaration,
    observe: async (primary, ask, pass) =>
      ordersOf(primary).lose ? { vanishing: primary } : inner.observe(primary, ask, pass),
    decide: (seen, now) => ('vanishing' in seen ? decideVanishing(seen.vanishing) : inner.decide(seen, now)),
    report: (seen, outcomes, now) =>
      'vanishing' in seen ? reportVanishing(seen.vanishing, outcomes) : inner.report(seen, outcomes, now),
  };
}

function decideVanishing(object: Unstructured): readonly Action[] {
  const ref = toRef(object);
  const { finalizers = [], resourceVersion, uid } = object.metadata;
  const release: Action = {
    id: 'release',
    onError: 'stop',
    do: 'patch',
    ref,
    body: { metadata: { finalizers: [] } },
    resourceVersion,
  };
  return [...(finalizers.length === 0 ? [] : [release]), { id: 'delete', onError: 'stop', do: 'delete', ref, uid }];
}

function reportVanishing(object: Unstructured, outcomes: Outcomes): Report {
  for (const outcome of outcomes.values()) {
    if (outcome.state === 'failed') {
      const what = `Losing ${object.kind} ${toDisplayName(object.metadata)} failed: ${outcome.failure.message}`;
      return { events: [], result: { kind: 'failed', error: new Error(what), terminal: false } };
    }
  }
  return { events: [], result: { kind: 'done' } };
}
