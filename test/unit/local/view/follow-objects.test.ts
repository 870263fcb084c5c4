import type { Unstructured } from '@capi-serverless/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FollowedObjects, followObjects } from '../../../../local/view/follow-objects.ts';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../../../support/builders.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { settled } from '../../../support/stepped-clock.ts';

const unknownReference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'n' };

let api: MemoryApi;
let stopping: AbortController;
let objects: FollowedObjects;
let changes: number;

beforeEach(() => {
  api = createMemoryApi();
  stopping = new AbortController();
  changes = 0;
  objects = followObjects({
    kubernetes: api.kubernetes,
    clock: api.clock,
    signal: stopping.signal,
    onChange: () => {
      changes += 1;
    },
  });
});

afterEach(async () => {
  stopping.abort();
  await objects.ended();
});

async function follow(...clusters: readonly Unstructured[]): Promise<void> {
  for (const cluster of clusters) {
    objects.set(`ns/${cluster.metadata.name}`, cluster);
  }
  await settled();
}

function cluster(name = 'c1') {
  return aCluster().named(name).withInfrastructureRef().withControlPlaneRef();
}

describe('following what Clusters refer to', () => {
  it('has no objects before it has listed them', async () => {
    objects.set('ns/c1', cluster().build());
    expect(objects.snapshots()).toMatchObject([
      { infrastructure: { state: 'pending', name: 'c1-infra' }, controlPlane: { state: 'pending' } },
    ]);
  });

  it('finds infrastructure, control plane, MachineDeployments and Machines of each Cluster', async () => {
    api.given(
      anInfraCluster(),
      aControlPlane(),
      aMachineDeployment(),
      aMachine(),
      aMachine().named('m2').ofCluster('c2'),
    );
    await follow(cluster('c2').build(), cluster().build());
    expect(objects.snapshots()).toMatchObject([
      {
        cluster: { metadata: { name: 'c1' } },
        infrastructure: { state: 'found', object: { kind: 'SimulatedCluster' } },
        controlPlane: { state: 'found', object: { kind: 'SimulatedControlPlane' } },
        machineDeployments: [{ metadata: { name: 'md1' } }],
        machines: [{ metadata: { name: 'm1' } }],
      },
      { cluster: { metadata: { name: 'c2' } }, machineDeployments: [], machines: [{ metadata: { name: 'm2' } }] },
    ]);
  });

  it('reports their creation, changes and deletion', async () => {
    await follow(cluster().build());
    expect(objects.snapshots()).toMatchObject([{ infrastructure: { state: 'missing' } }]);
    for (const [change, seen] of [
      [() => api.given(anInfraCluster()), { state: 'found', object: { metadata: { generation: 1 } } }],
      [
        () => api.others.mergePatch(ref, { spec: { provisionSeconds: 9 } }),
        { state: 'found', object: { spec: { provisionSeconds: 9 } } },
      ],
      [() => api.others.delete(ref), { state: 'missing' }],
    ] as const) {
      const before = changes;
      await change();
      await settled();
      expect(objects.snapshots()).toMatchObject([{ infrastructure: seen }]);
      expect(changes).toBeGreaterThan(before);
    }
  });

  it('looks up a kind that is not installed once per second', async () => {
    await follow(aCluster().withInfrastructureRef(unknownReference).build());
    const crd = 'novels.infrastructure.cluster.x-k8s.io';
    expect(objects.snapshots()).toMatchObject([{ infrastructure: { state: 'notInstalled', crd } }]);
    await api.clock.advance(3_000);
    expect(api.calls.all.filter(({ verb, of }) => verb === 'metadata' && 'name' in of && of.name === crd)).toHaveLength(
      4,
    );
  });

  it('ignores a read that its own stop aborted', async () => {
    const failure = { reason: 'Aborted', message: 'aborted' } as const;
    api.calls.fail({ at: call => call.verb === 'metadata', failure });
    objects.set('ns/c1', aCluster().withInfrastructureRef().build());
    stopping.abort();
    await objects.ended();
    expect(objects.snapshots()).toMatchObject([{ infrastructure: { state: 'pending' } }]);
  });

  it('forgets a deleted Cluster, and has no reference that the Cluster lacks', async () => {
    await follow(cluster().build(), aCluster().named('plain').build());
    objects.set('ns/c1', undefined);
    expect(objects.snapshots()).toMatchObject([
      { cluster: { metadata: { name: 'plain' } }, infrastructure: undefined, controlPlane: undefined },
    ]);
  });
});

const ref = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
  namespace: 'ns',
  name: 'c1-infra',
};
