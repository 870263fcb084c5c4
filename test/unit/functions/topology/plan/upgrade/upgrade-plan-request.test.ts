// The request of GenerateUpgradePlan.

import { expect, it } from 'vitest';
import { toCacheKey, toPlanRequest } from '../../../../../../functions/topology/plan/upgrade/upgrade-plan-request.ts';
import { aSettledTopologyCluster } from '../../../../../support/topology-objects.ts';
import { aSpan } from '../../../../../support/topology-upgrade.ts';

const cluster = aSettledTopologyCluster().withUid('u1').build();
const span = aSpan('v1.30.0', 'v1.29.0', 'v1.31.0');

it('requests the steps from the versions of control plane and workers to that of the topology', () => {
  const request = toPlanRequest(cluster, span, 'v1.31.0');
  expect(request).toEqual({
    cluster,
    fromControlPlaneKubernetesVersion: 'v1.30.0',
    fromWorkersKubernetesVersion: 'v1.29.0',
    toKubernetesVersion: 'v1.31.0',
  });
  expect(toCacheKey(request)).toBe('["u1","v1.30.0","v1.29.0","v1.31.0"]');
  expect(toPlanRequest(cluster, aSpan('v1.30.0', '', 'v1.31.0'), 'v1.31.0').fromWorkersKubernetesVersion).toBe('');
});
