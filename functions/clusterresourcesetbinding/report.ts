// The report of one pass over a ClusterResourceSetBinding: the result only.
import { toAggregateText } from '@capi-serverless/apimachinery';
import { failureOf, type Outcomes, type Report } from '@capi-serverless/reconciler';
import { deleteBindingId, patchBindingId } from './decide.ts';
import type { BindingSeen } from './seen.ts';

export function report(seen: BindingSeen, outcomes: Outcomes): Report {
  const errors = [
    ...(seen.step === 'unnamed' ? [seen.error] : []),
    ...(seen.step === 'named' && seen.cluster.state === 'unreadable' ? [seen.cluster.error] : []),
    ...[patchBindingId, deleteBindingId].flatMap(id => failureOf(outcomes, id)?.message ?? []),
  ];
  return {
    events: [],
    result:
      errors.length === 0
        ? { kind: 'done' }
        : { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false },
  };
}
