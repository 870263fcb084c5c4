// The call of GenerateUpgradePlan: its request, and the plan in its response.

import type { Checked, Unstructured } from '@capi-serverless/apimachinery';
import type { UpgradePlanRequest, UpgradeStep, UpgradeSteps } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { UpgradePlan } from './plan-check.ts';
import type { UpgradeSpan } from './plan-source.ts';
import { completePlan } from './upgrade-plan.ts';

export function toPlanRequest(cluster: Unstructured, span: UpgradeSpan, topologyVersion: string): UpgradePlanRequest {
  return {
    cluster,
    fromControlPlaneKubernetesVersion: span.controlPlane.text,
    fromWorkersKubernetesVersion: span.workers?.text ?? '',
    toKubernetesVersion: topologyVersion,
  };
}

/** Requests with the same key may get the same answer from the cache. */
export function toCacheKey({ cluster, ...versions }: UpgradePlanRequest): string {
  const { fromControlPlaneKubernetesVersion, fromWorkersKubernetesVersion, toKubernetesVersion } = versions;
  return JSON.stringify([
    cluster.metadata.uid,
    fromControlPlaneKubernetesVersion,
    fromWorkersKubernetesVersion,
    toKubernetesVersion,
  ]);
}

/** Returns the checked plan of an extension. */
export function toPlan(
  { controlPlaneUpgrades, workersUpgrades }: UpgradeSteps,
  span: UpgradeSpan,
): Checked<UpgradePlan> {
  const toVersion = ({ version }: UpgradeStep): string => version;
  return completePlan(
    { controlPlane: controlPlaneUpgrades.map(toVersion), workers: workersUpgrades.map(toVersion) },
    span,
  );
}
