// The Nodes of a MachinePool, and how it is scaled in.
import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aCapiCluster, aNode, anInfrastructure, aPool, scaledBy } from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

/** A pool whose Nodes are ready, and that was reconciled. */
async function aSettledWorld(given: Parameters<typeof createPoolWorld>[0] = {}) {
  const world = createPoolWorld(given);
  await world.reconcileOnce();
  return world;
}

describe('a workload cluster that does not answer', () => {
  it('is waited for before its first probe', async () => {
    const cluster = aCapiCluster()
      .withCondition('ControlPlaneInitialized', { status: 'False' })
      .withCondition('RemoteConnectionProbe', { status: 'False' });
    const world = createPoolWorld({ cluster, fault: 'down' });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.statusOf('initialization.infrastructureProvisioned')).toBe(true);
    expect(world.statusOf('replicas')).toBeUndefined();
    expect(world.statusOf('observedGeneration')).toBeUndefined();
  });

  it('is an error after it answered, and the versions are kept', async () => {
    const world = await aSettledWorld();
    world.remote.fault = 'down';
    const down = 'connection to the workload cluster is down';
    expect((await world.reconcileOnce()).result).toBe(
      `[failed to reconcile infrastructure: error getting client: ${down}, failed to reconcile nodeRefs: error creating watch machinepool-watchNodes for *v1.Node: ${down}]`,
    );
    expect(world.statusOf('versions')).toEqual([{ version: 'v1.31.0', replicas: 2 }]);
  });

  it('is an error of its client before its control plane is initialized', async () => {
    const cluster = aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' });
    const world = createPoolWorld({
      cluster,
      fault: 'down',
      pool: aPool()
        .withSpec({ providerIDList: ['p1'] })
        .withStatus({ replicas: 1 }),
    });
    expect((await world.reconcileOnce()).result).toContain('failed to reconcile nodeRefs: error getting client');
  });
});

describe('the Nodes', () => {
  it('are waited for, with a time that grows after half an hour', async () => {
    const world = createPoolWorld({ nodes: [] });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 30000' });
    expect(world.nodeNames()).toBeUndefined();
    expect(world.statusOf('phase')).toBe('ScalingUp');
    expect(world.v1beta1('ReplicasReady')).toBe('False/Info/WaitingForReplicasReady');
    await world.api.clock.advance(3_600_000);
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 60000', writes: [] });
    await world.api.clock.advance(24 * 3_600_000);
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 600000' });
  });

  it('are named one by one', async () => {
    const world = createPoolWorld({ nodes: [aNode(1)] });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 30000' });
    expect(world.nodeNames()).toEqual(['n1']);
    expect(world.deprecated('readyReplicas')).toBe(1);
    expect(world.deprecated('unavailableReplicas')).toBe(1);
    expect(world.statusOf('phase')).toBe('ScalingUp');
  });

  it.each([
    { by: '', phase: 'Scaling' },
    { by: 'false', phase: 'ScalingUp' },
  ])('are scaled by "$by": $phase', async ({ by, phase }) => {
    const world = createPoolWorld({ nodes: [aNode(1)], pool: aPool().annotated({ [scaledBy]: by }) });
    await world.reconcileOnce();
    expect(world.statusOf('phase')).toBe(phase);
  });

  it('that are not ready are named, and count as replicas', async () => {
    const world = createPoolWorld({ nodes: [aNode(1), aNode(2, 'False')] });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 30000' });
    expect(world.nodeNames()).toEqual(['n1', 'n2']);
    expect(world.deprecated('readyReplicas')).toBe(1);
    expect(world.statusOf('readyReplicas')).toBe(2);
  });

  it('that turn not ready later change nothing', async () => {
    const world = await aSettledWorld();
    const endpoint = world.remote.core.registry.endpointOfKind('v1', 'Node');
    const { status } = aNode(2, 'False').build();
    world.remote.core.patch({ endpoint, namespace: '', name: 'n2' }, { type: 'merge', body: { status } }, 'status');
    expect(await world.reconcileOnce()).toEqual({ result: 'done', writes: [] });
  });

  it('that were created again are named with their new uid', async () => {
    const world = await aSettledWorld();
    const endpoint = world.remote.core.registry.endpointOfKind('v1', 'Node');
    world.remote.core.delete({ endpoint, namespace: '', name: 'n2' });
    world.addNode(aNode(2).build());
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    const uids = world.nodes().map(({ metadata }) => metadata.uid);
    expect((world.statusOf('nodeRefs') as readonly { readonly uid: string }[]).map(({ uid }) => uid)).toEqual(uids); // true: the definition requires this form
    expect(world.events()).toHaveLength(2);
  });

  it('count as available after minReadySeconds', async () => {
    const world = createPoolWorld({ pool: aPool().withTemplate({ minReadySeconds: 20 }), nodes: [] });
    const { clock } = world.api;
    world.addNode(aNode(1, 'True', clock.now() - 5000).build());
    world.addNode(aNode(2).build());
    expect(await world.reconcileOnce()).toMatchObject({ result: 'requeueAfter 16000' });
    expect(world.deprecated('readyReplicas')).toBe(2);
    expect(world.deprecated('availableReplicas')).toBe(1);
    expect(world.deprecated('unavailableReplicas')).toBe(1);
    expect(world.v1beta1('ReplicasReady')).toBe('True');
  });

  it('keep other taints and annotations', async () => {
    const node = aNode(1).withSpec({
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' },
      ],
    });
    const world = createPoolWorld({ nodes: [node, aNode(2)] });
    await world.reconcileOnce();
    expect(valueAt(world.nodes()[0]?.spec, 'taints')).toEqual([{ key: 'a', effect: 'NoSchedule' }]);
  });

  it('with one id listed twice are named twice', async () => {
    const world = createPoolWorld({ infrastructure: anInfrastructure(undefined, ['p1', 'p1', 'p9']) });
    await world.reconcileOnce();
    expect(world.nodeNames()).toEqual(['n1', 'n1']);
    expect(world.v1beta1('ReplicasReady')).toBe('True');
  });
});

describe('scaling in', () => {
  const i1 = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'FooMachinePool',
    namespace: 'ns',
    name: 'i1',
  };

  async function scaled(replicas: number, ids: readonly string[] | undefined, reported: number) {
    const world = await aSettledWorld();
    await world.api.others.mergePatch(world.ref, { spec: { replicas } });
    if (ids !== undefined) {
      await world.api.others.mergePatch(i1, { spec: { providerIDList: ids } });
      await world.api.others.mergePatch(i1, { status: { replicas: reported } }, { subresource: 'status' });
    }
    return { world, ...(await world.reconcileOnce()) };
  }

  it('deletes the Node of a machine that left', async () => {
    const { world } = await scaled(1, ['p1'], 1);
    expect(world.nodes().map(({ metadata }) => metadata.name)).toEqual(['n1']);
    expect(world.nodeNames()).toEqual(['n1']);
    expect(world.statusOf('phase')).toBe('Running');
  });

  it('waits for the provider', async () => {
    const { world } = await scaled(0, undefined, 0);
    expect(world.statusOf('phase')).toBe('ScalingDown');
    expect(world.nodes()).toHaveLength(2);
  });

  it('to zero deletes all Nodes', async () => {
    const { world } = await scaled(0, [], 0);
    expect(world.nodes()).toEqual([]);
    expect(world.nodeNames()).toBeUndefined();
    expect(world.specOf('providerIDList')).toBeUndefined();
    expect(world.events()).toContain('Normal SuccessfulSetNodeRefs []');
    expect(world.statusOf('phase')).toBe('Running');
  });

  it('by the provider alone keeps the Nodes', async () => {
    const { world } = await scaled(2, [], 0);
    expect(world.specOf('providerIDList')).toBeUndefined();
    expect(world.nodeNames()).toEqual(['n1', 'n2']);
    expect(world.statusOf('phase')).toBe('ScalingUp');
  });

  it('keeps the ids while the provider has machines', async () => {
    const { world, result } = await scaled(2, [], 3);
    expect(world.statusOf('replicas')).toBe(3);
    expect(world.specOf('providerIDList')).toEqual(['p1', 'p2']);
    expect(world.deprecated('readyReplicas')).toBe(2);
    expect(world.deprecated('unavailableReplicas')).toBe(1);
    expect(result).toBe('requeueAfter 30000');
    expect(world.statusOf('phase')).toBe('Running');
  });
});
