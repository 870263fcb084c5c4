// The events of a Cluster that enqueue its simulated machines.
import { describe, expect, it } from 'vitest';
import { toClusterVersion } from '../../../../../local/provider/machines/machine-controller.ts';

const status = { initialization: { infrastructureProvisioned: true }, workers: { readyReplicas: 1 } };
const cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: {
    name: 'c1',
    namespace: 'ns',
    uid: 'u1',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  status,
};

describe('the version of a Cluster for its machines', () => {
  it('stays when a counter in its status changes', () => {
    const changed = {
      ...cluster,
      metadata: { ...cluster.metadata, resourceVersion: '2' },
      status: { ...status, workers: { readyReplicas: 2 } },
    };
    expect(toClusterVersion(changed)).toBe(toClusterVersion(cluster));
  });

  it.each([
    ['its spec', { metadata: { ...cluster.metadata, generation: 2 } }],
    ['its deletion', { metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } }],
    [
      'a milestone',
      { status: { ...status, initialization: { ...status.initialization, controlPlaneInitialized: true } } },
    ],
  ])('changes with %s', (_, changed) => {
    expect(toClusterVersion({ ...cluster, ...changed })).not.toBe(toClusterVersion(cluster));
  });
});
