import { toRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  aCluster,
  aControlPlane,
  aLegacyInfraCluster,
  aMachine,
  aMachineDeployment,
  aMachinePool,
  aMachineSet,
  anInfraCluster,
} from '../../support/builders.ts';
import { createMemoryApi } from '../../support/memory-api.ts';

describe('builders', () => {
  const time = '2026-01-01T00:00:00Z';

  it('are immutable: each step returns another object', () => {
    const plain = aCluster();
    plain.paused().named('c2').withFinalizers('a.b/c');
    expect(plain.build()).toEqual(aCluster().build());
  });

  it('build objects as a server would have stored them', () => {
    const owner = aCluster().named('c2').build();
    const built = aMachine()
      .named('m2')
      .in('elsewhere')
      .ofCluster(owner)
      .ownedBy(owner, { controller: true })
      .labelled({ a: 'b' })
      .annotated({ c: 'd' })
      .withFinalizers('a.b/c')
      .withFinalizers('a.b/d')
      .atGeneration(3)
      .atResourceVersion('7')
      .withCondition('Ready', { status: 'False', reason: 'NotReady' })
      .withCondition('Ready')
      .withV1Beta1Condition('Ready', { status: 'False', severity: 'Error' })
      .deleting()
      .build();
    expect(built).toMatchObject({
      kind: 'Machine',
      metadata: {
        name: 'm2',
        namespace: 'elsewhere',
        uid: 'uid-of-machine-m2',
        resourceVersion: '7',
        generation: 3,
        labels: { 'cluster.x-k8s.io/cluster-name': 'c2', a: 'b' },
        annotations: { c: 'd' },
        finalizers: ['a.b/c', 'a.b/d'],
        ownerReferences: [{ kind: 'Cluster', name: 'c2', uid: 'uid-of-cluster-c2', controller: true }],
        creationTimestamp: time,
        deletionTimestamp: time,
      },
      spec: { clusterName: 'c2' },
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: time }],
        deprecated: { v1beta1: { conditions: [{ type: 'Ready', status: 'False', severity: 'Error' }] } },
      },
    });
  });

  it.each([
    aCluster()
      .paused()
      .withInfrastructureRef()
      .withControlPlaneRef()
      .withTopology({ class: 'plain' })
      .withEndpoint('h')
      .inPhase('Provisioned')
      .infrastructureProvisioned()
      .controlPlaneInitialized(),
    anInfraCluster().withEndpoint('h').provisioned().withFailureDomains('a'),
    aLegacyInfraCluster().withEndpoint('h').provisioned().withFailureDomains('a'),
    aControlPlane().withVersion('v1.36.0').withReplicas(3).initialized().withCounters({ readyReplicas: 1 }),
    aMachine().controlPlane().withVersion('v1.36.0').withNode('n').inPhase('Running'),
    aMachineDeployment().ofCluster('c2').withReplicas(2).withVersion('v1.36.0').withCounters({ replicas: 1 }),
    aMachineSet().withReplicas(2),
    aMachinePool().withReplicas(2),
  ])('$object.kind is stored by the server as it is built', builder => {
    const [stored] = createMemoryApi().given(builder);
    const { spec, status } = builder.build();
    expect(stored?.spec).toMatchObject(Object(spec));
    expect(stored?.status).toEqual(status);
  });
});

describe('the memory API', () => {
  it('stores deletions in progress, and rejects those without a finalizer', () => {
    const api = createMemoryApi();
    const [cluster] = api.given(aCluster().withFinalizers('a.b/c').deleting());
    expect(cluster?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(() => api.given(aMachine().deleting())).toThrow('has no finalizer');
  });

  it('maps owner references to the stored uids of their owners', () => {
    const api = createMemoryApi();
    const owner = aCluster();
    const [cluster, machine] = api.given(owner, aMachine().ownedBy(owner));
    expect(machine?.metadata.ownerReferences).toMatchObject([{ uid: cluster?.metadata.uid }]);
    api.core.settle();
    expect(api.find(toRef(aMachine().build()))).toBeDefined();
  });

  it('reads existing objects and reports missing ones', () => {
    const api = createMemoryApi();
    const [cluster] = api.given(aCluster());
    expect(api.read(toRef(aCluster().build()))).toBe(cluster);
    expect(() => api.read(toRef(aMachine().build()))).toThrow('There is no Machine ns/m1');
  });

  it('is deterministic: the same steps give the same objects', () => {
    const run = () => createMemoryApi().given(aCluster(), aMachine());
    expect(run()).toEqual(run());
  });
});
