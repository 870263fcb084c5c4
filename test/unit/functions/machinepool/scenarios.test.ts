// The gates of a MachinePool, its counters, its bootstrap data and its infrastructure.
import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aConfig, aNewPool, anInfrastructure, aPool, clusterNameLabel, finalizer, paused } from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

const named = 'MachinePool "mp1" in namespace "ns"';

/** A pool whose Nodes are ready, and that was reconciled. */
async function aSettledWorld(given: Parameters<typeof createPoolWorld>[0] = {}) {
  const world = createPoolWorld(given);
  await world.reconcileOnce();
  return world;
}

describe('the gates', () => {
  it('end a pass without Cluster', async () => {
    const world = createPoolWorld({ cluster: null });
    const { result, writes } = await world.reconcileOnce();
    expect(result).toBe(
      'failed to get cluster "c1" for machinepool "mp1" in namespace "ns": failed to get Cluster ns/c1: clusters.cluster.x-k8s.io "c1" not found',
    );
    expect(writes).toEqual([]);
  });

  it('add the finalizer and the condition Paused first', async () => {
    const world = createPoolWorld({ pool: aNewPool().withFinalizers('x/y') });
    await world.reconcileOnce();
    expect(world.pool().metadata.finalizers).toEqual(['x/y', finalizer]);
    expect(world.condition('Paused')).toBe('False/NotPaused');
    expect(world.statusOf('phase')).toBe('Running');
  });

  it('stop a paused pool, also while it is deleted', async () => {
    const world = createPoolWorld({
      pool: aPool()
        .annotated({ [paused]: '' })
        .deleting(),
    });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.condition('Paused')).toBe('True/Paused MachinePool has the cluster.x-k8s.io/paused annotation');
    expect(world.find(aConfig())?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('a pool with bootstrap data, infrastructure and Nodes', () => {
  it('owns its objects, counts its Nodes and runs', async () => {
    const world = createPoolWorld();
    const { result } = await world.reconcileOnce();
    expect(result).toBe('done');
    for (const object of [aConfig(), anInfrastructure()]) {
      const { labels, ownerReferences = [] } = world.find(object)?.metadata ?? {};
      expect(labels).toEqual({ [clusterNameLabel]: 'c1' });
      expect(ownerReferences).toMatchObject([{ kind: 'MachinePool', name: 'mp1', controller: true }]);
    }
    expect(world.specOf('template.spec.bootstrap.dataSecretName')).toBe('sec');
    expect(world.specOf('providerIDList')).toEqual(['p1', 'p2']);
    expect(world.pool().status).toMatchObject({
      phase: 'Running',
      initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 2,
      versions: [{ version: 'v1.31.0', replicas: 2 }],
      observedGeneration: world.pool().metadata.generation,
      deprecated: { v1beta1: { readyReplicas: 2, availableReplicas: 2 } },
    });
    expect(world.deprecated('unavailableReplicas')).toBeUndefined();
    expect(world.nodeNames()).toEqual(['n1', 'n2']);
    for (const type of ['Ready', 'BootstrapReady', 'InfrastructureReady', 'ReplicasReady']) {
      expect(world.v1beta1(type)).toBe('True');
    }
    for (const node of world.nodes()) {
      expect(valueAt(node.spec, 'taints')).toBeUndefined();
      expect(node.metadata.annotations).toEqual({
        'cluster.x-k8s.io/cluster-name': 'c1',
        'cluster.x-k8s.io/cluster-namespace': 'ns',
        'cluster.x-k8s.io/owner-kind': 'MachinePool',
        'cluster.x-k8s.io/owner-name': 'mp1',
      });
    }
    expect(world.events()).toEqual([
      expect.stringMatching(
        /^Normal SuccessfulSetNodeRefs \[\{Kind:Node Namespace: Name:n1 UID:\S+ APIVersion:v1 ResourceVersion: FieldPath:\} \{/,
      ),
    ]);
  });

  it('writes nothing once it is settled, with nine requests at most', async () => {
    const world = await aSettledWorld();
    const before = world.api.calls.all.length;
    const sent = world.remote.sent;
    expect(await world.reconcileOnce()).toEqual({ result: 'done', writes: [] });
    expect(world.api.calls.all.length - before).toBeLessThanOrEqual(9);
    expect(world.remote.sent - sent).toBe(1);
    expect(world.events()).toHaveLength(1);
  });

  it('gets its label and its owner back', async () => {
    const world = createPoolWorld({ pool: aPool().unlabelled() });
    await world.reconcileOnce();
    expect(world.pool().metadata.labels).toEqual({ [clusterNameLabel]: 'c1' });
  });
});

describe('the bootstrap data', () => {
  it.each([
    {
      reason: 'no status',
      bootstrap: aConfig({}),
      created: false,
      ready: 'False/Info/WaitingForDataSecret',
      result: 'done',
    },
    {
      reason: 'a condition of its provider',
      bootstrap: aConfig({ conditions: [{ type: 'Ready', status: 'False', severity: 'Info', reason: 'Custom' }] }),
      created: false,
      ready: 'False/Info/Custom',
      result: 'done',
    },
    {
      reason: 'no name of the Secret',
      bootstrap: aConfig({ initialization: { dataSecretCreated: true } }),
      created: undefined,
      ready: 'True',
      result: `failed to reconcile bootstrap config: failed to retrieve dataSecretName from bootstrap provider for ${named}: path .status.dataSecretName: field not found`,
    },
    {
      reason: 'a name of a wrong type',
      bootstrap: aConfig({ initialization: { dataSecretCreated: true }, dataSecretName: 7 }),
      created: undefined,
      ready: 'True',
      result: expect.stringContaining('.status.dataSecretName is a number, expected a string'),
    },
    {
      reason: 'a milestone of a wrong type',
      bootstrap: aConfig({ initialization: { dataSecretCreated: 'yes' } }),
      created: undefined,
      ready: undefined,
      result: expect.stringContaining(
        'failed to reconcile bootstrap config: failed to get .status.initialization.dataSecretCreated',
      ),
    },
  ])('is waited for with $reason', async ({ bootstrap, created, ready, result }) => {
    const world = createPoolWorld({ bootstrap });
    expect(await world.reconcileOnce()).toMatchObject({ result });
    expect(world.specOf('template.spec.bootstrap.dataSecretName')).toBeUndefined();
    expect(world.statusOf('initialization.bootstrapDataSecretCreated')).toBe(created);
    expect(world.v1beta1('BootstrapReady')).toBe(ready);
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBe(true);
  });

  it('is an error without its object', async () => {
    const world = createPoolWorld({ bootstrap: null });
    const cause = 'failed to retrieve FooConfig ns/b1: fooconfigs.bootstrap.cluster.x-k8s.io "b1" not found';
    expect(await world.reconcileOnce()).toMatchObject({
      result: `failed to reconcile bootstrap config: could not find FooConfig ns/b1 for MachinePool ns/mp1, requeuing: ${cause}`,
    });
    expect(world.statusOf('observedGeneration')).toBeUndefined();
  });

  it('is that of the user without bootstrap config', async () => {
    const world = createPoolWorld({
      bootstrap: null,
      pool: aPool().withTemplate({ bootstrap: { dataSecretName: 'data' } }),
    });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.v1beta1('BootstrapReady')).toBe('True');
    expect(world.statusOf('initialization.bootstrapDataSecretCreated')).toBe(true);
  });

  it('is an error without any source', async () => {
    const world = createPoolWorld({ bootstrap: null, pool: aPool().withTemplate({ bootstrap: {} }) });
    expect(await world.reconcileOnce()).toMatchObject({
      result: `failed to reconcile bootstrap config: neither .spec.bootstrap.configRef nor .spec.bootstrap.dataSecretName are set for ${named}`,
    });
  });

  it('is kept until that of a new bootstrap config exists', async () => {
    const world = await aSettledWorld({ objects: [aConfig({ dataSecretName: 'sec2' }).named('b2').withUid('uid-b2')] });
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfig', name: 'b2' };
    await world.api.others.mergePatch(world.ref, { spec: { template: { spec: { bootstrap: { configRef } } } } });
    await world.reconcileOnce();
    expect(world.specOf('template.spec.bootstrap.dataSecretName')).toBe('sec');
    expect(world.statusOf('initialization.bootstrapDataSecretCreated')).toBe(false);
    expect(world.statusOf('phase')).toBe('Running');
    const b2 = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'FooConfig', namespace: 'ns', name: 'b2' };
    await world.api.others.mergePatch(
      b2,
      { status: { initialization: { dataSecretCreated: true } } },
      { subresource: 'status' },
    );
    await world.reconcileOnce();
    expect(world.specOf('template.spec.bootstrap.dataSecretName')).toBe('sec2');
    expect(world.statusOf('initialization.bootstrapDataSecretCreated')).toBe(true);
  });

  it('is not taken from a config in deletion', async () => {
    const world = createPoolWorld({ bootstrap: aConfig().withFinalizers('x/y').deleting() });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.specOf('template.spec.bootstrap.dataSecretName')).toBeUndefined();
  });
});

describe('the infrastructure', () => {
  it('is waited for', async () => {
    const world = createPoolWorld({ infrastructure: anInfrastructure({}) });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBe(false);
    expect(world.v1beta1('InfrastructureReady')).toBe('False/Info/WaitingForInfrastructure');
    expect(world.v1beta1('ReplicasReady')).toBe('True');
    expect(world.statusOf('phase')).toBe('Provisioning');
  });

  it.each([
    { status: { initialization: { provisioned: true } }, isProvisioned: true },
    { status: { initialization: { provisioned: false }, ready: true }, isProvisioned: true },
    { status: { initialization: { provisioned: true }, ready: false }, isProvisioned: true },
    { status: { initialization: { provisioned: false } }, isProvisioned: false },
  ])('is provisioned with $status: $isProvisioned', async ({ status, isProvisioned }) => {
    const world = createPoolWorld({ infrastructure: anInfrastructure(status) });
    await world.reconcileOnce();
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBe(isProvisioned);
  });

  it('may stop being ready', async () => {
    const world = await aSettledWorld();
    const i1 = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'FooMachinePool',
      namespace: 'ns',
      name: 'i1',
    };
    await world.api.others.mergePatch(i1, { status: { ready: false } }, { subresource: 'status' });
    await world.reconcileOnce();
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBe(false);
    expect(world.statusOf('phase')).toBe('Provisioned');
  });

  it('is an error without its object, and a failure if it was ready before', async () => {
    const cause =
      'failed to retrieve FooMachinePool ns/i1: foomachinepools.infrastructure.cluster.x-k8s.io "i1" not found';
    const error = `failed to reconcile infrastructure: could not find FooMachinePool ns/i1 for MachinePool ns/mp1, requeuing: ${cause}`;
    const world = createPoolWorld({ infrastructure: null });
    expect((await world.reconcileOnce()).result).toContain(error);
    expect(world.v1beta1('InfrastructureReady')).toBe(
      'False/Error/IncorrectExternalRef could not find infra reference of kind FooMachinePool with name i1',
    );
    expect(world.deprecated('failureReason')).toBeUndefined();
    const settled = await aSettledWorld();
    await settled.api.others.delete({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'FooMachinePool',
      namespace: 'ns',
      name: 'i1',
    });
    expect((await settled.reconcileOnce()).result).toBe(
      `[${error}, failed to reconcile nodeRefs: failed to get Node references]`,
    );
    expect(settled.deprecated('failureReason')).toBe('InvalidConfiguration');
    expect(settled.deprecated('failureMessage')).toBe(
      'MachinePool infrastructure resource FooMachinePool ns/i1 has been deleted after being ready',
    );
  });

  it('reports a failure of its provider', async () => {
    const world = createPoolWorld({
      infrastructure: anInfrastructure({ ready: true, replicas: 2, failureReason: 'Bad', failureMessage: 'broken' }),
    });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.deprecated('failureReason')).toBe('Bad');
    expect(world.deprecated('failureMessage')).toBe(
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=FooMachinePool with name "i1": broken',
    );
    expect(world.statusOf('phase')).toBe('Running');
  });

  it('of another pool is not used', async () => {
    const other = aPool().named('mp9').withUid('uid-mp9');
    const world = createPoolWorld({ infrastructure: anInfrastructure().ownedBy(other, { controller: true }) });
    expect((await world.reconcileOnce()).result).toContain(
      'failed to reconcile infrastructure: Object ns/i1 is already owned by another MachinePool controller mp9',
    );
    expect(world.specOf('providerIDList')).toBeUndefined();
  });

  it.each([
    {
      infrastructure: anInfrastructure({ ready: 'yes' }),
      error: 'failed to determine infrastructure.cluster.x-k8s.io/v1beta2, Kind=FooMachinePool "i1" readiness: ',
    },
    {
      infrastructure: anInfrastructure({ ready: true }, 'p1'),
      error: `failed to retrieve data from infrastructure provider for ${named}: `,
    },
    {
      infrastructure: anInfrastructure({ ready: true, replicas: 'two' }),
      error: `failed to retrieve replicas from infrastructure provider for ${named}: `,
    },
    {
      infrastructure: anInfrastructure({ ready: true, infrastructureMachineKind: 7 }),
      error:
        'failed to reconcile Machines for MachinePool ns/mp1: failed to retrieve infraMachineKind from infrastructure provider for MachinePool ns/mp1: ',
    },
  ])('with a field of a wrong type is an error: $error', async ({ infrastructure, error }) => {
    const world = createPoolWorld({ infrastructure });
    expect((await world.reconcileOnce()).result).toContain(`failed to reconcile infrastructure: ${error}`);
  });

  it('in deletion changes nothing', async () => {
    const world = createPoolWorld({ infrastructure: anInfrastructure().withFinalizers('x/y').deleting() });
    expect((await world.reconcileOnce()).result).toBe('done');
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBeUndefined();
  });
});
