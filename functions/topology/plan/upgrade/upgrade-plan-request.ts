// The request of GenerateUpgradePlan.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { UpgradePlanRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { UpgradeSpan } from './plan-source.ts';

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
