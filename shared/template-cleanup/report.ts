// The result of one pass. These reconcilers write no status and record no events.
import { applied, changesAfter, noProgress, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import type { CleanupPlan } from './plan.ts';

export function report({ steps }: CleanupPlan, outcomes: Outcomes): Report {
  return { events: [], result: resultOf(changesAfter(steps, outcomes).reduce(applied, noProgress)) };
}
