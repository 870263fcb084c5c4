// The upgrade plan in the status of the Cluster: the remaining versions of control plane and workers.
import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import type { UpgradePlan } from '../plan/upgrade/plan-check.ts';

/**
 * Returns the status with this plan. An empty plan is omitted. Undefined means that there is no new plan, so the stored
 * plan is kept.
 */
export function withUpgradePlan(status: JsonObject, plan: UpgradePlan | undefined): JsonObject {
  return plan === undefined
    ? status
    : withSteps(withSteps(status, 'controlPlane', plan.controlPlane), 'workers', plan.workers);
}

function withSteps(status: JsonObject, part: 'controlPlane' | 'workers', versions: readonly string[]): JsonObject {
  const { upgradePlan: _, ...others } = toRecord(status[part]);
  const upgradePlan = versions.map(version => ({ version }));
  if (upgradePlan.length === 0 && status[part] === undefined) {
    return status;
  }
  return { ...status, [part]: { ...others, ...(upgradePlan.length === 0 ? {} : { upgradePlan }) } };
}
