// The common parts of the two reconcilers that clean up templates.
import {
  type DeclarationOf,
  type EarlyEnd,
  phasedReconciler,
  type Reconciler,
  reportResult,
} from '@capi-serverless/reconciler';
import { type CleanupRules, observe } from './observe.ts';
import { type CleanupPlan, plan } from './plan.ts';

export function cleanupReconciler(
  declaration: DeclarationOf<never>,
  rules: CleanupRules,
): Reconciler<object, CleanupPlan | EarlyEnd> {
  return phasedReconciler({
    declaration,
    observe: (primary, ask) => observe(primary, ask, rules),
    plan,
    report: (planned, outcomes) => reportResult(planned, outcomes),
  });
}
