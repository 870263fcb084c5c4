// The annotation `lose`. It removes the object, as if it were deleted outside the provider.
import { toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action, Outcomes, Reconciler, Report } from '@capi-serverless/reconciler';
import { ordersOf } from './orders.ts';

interface SimulatedLoss {
  readonly simulatedLoss: Unstructured;
}

export type SimulatedProviderReconciler = Reconciler<object, object>;

/** Wraps the reconciler for objects with this annotation. Neither a pause nor a finalizer stops the removal. */
export function simulatedLoss<Seen extends object>(
  inner: Reconciler<object, Seen>,
): Reconciler<object, Seen | SimulatedLoss> {
  return {
    declaration: inner.declaration,
    observe: async (primary, ask, pass) =>
      ordersOf(primary).lose ? { simulatedLoss: primary } : inner.observe(primary, ask, pass),
    decide: (seen, now) => ('simulatedLoss' in seen ? decideLoss(seen.simulatedLoss) : inner.decide(seen, now)),
    report: (seen, outcomes, now) =>
      'simulatedLoss' in seen ? reportLoss(seen.simulatedLoss, outcomes) : inner.report(seen, outcomes, now),
  };
}

function decideLoss(object: Unstructured): readonly Action[] {
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

function reportLoss(object: Unstructured, outcomes: Outcomes): Report {
  for (const outcome of outcomes.values()) {
    if (outcome.state === 'failed') {
      const what = `Losing ${object.kind} ${toDisplayName(object.metadata)} failed: ${outcome.failure.message}`;
      return { events: [], result: { kind: 'failed', error: new Error(what), terminal: false } };
    }
  }
  return { events: [], result: { kind: 'done' } };
}
