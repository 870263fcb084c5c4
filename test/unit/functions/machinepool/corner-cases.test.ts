// Rare states of a MachinePool: objects that cannot be read, Nodes without times, and writes that were not sent.
import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { phaseOf } from '../../../../functions/machinepool/phases/counters.ts';
import { infrastructureChanges } from '../../../../functions/machinepool/phases/infrastructure.ts';
import { needsNodes } from '../../../../functions/machinepool/phases/pool-deletion.ts';
import { membersPhase } from '../../../../functions/machinepool/phases/pool-machines.ts';
import type { ObservedPool } from '../../../../functions/machinepool/seen.ts';
import { readWholeMachinePool } from '../../../../shared/api/machine-pool/whole-machine-pool.ts';
import { aFooMachine, aNode, anInfrastructure, aPool } from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };

describe('a reference', () => {
  it('to no infrastructure is an error', () => {
    const seen = {
      pool: readWholeMachinePool(aPool().build()),
      externals: { infrastructure: { scoped: { state: 'undefined' }, error: '' } },
    } as unknown as ObservedPool; // true: only these parts are read
    expect(infrastructureChanges(seen)).toEqual([
      { errors: ['failed to reconcile infrastructure: failed to get object from ref: object reference not set'] },
    ]);
  });

  it('to a bootstrap config without definition is an error', async () => {
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'NoConfig', name: 'b1' };
    const world = createPoolWorld({ pool: aPool().withTemplate({ bootstrap: { configRef } }) });
    expect((await world.reconcileOnce()).result).toContain('failed to reconcile bootstrap config: ');
  });
});

describe('the phase', () => {
  it.each([
    { reason: 'new', created: undefined, phase: undefined, expected: 'Pending' },
    { reason: 'not read this time', created: undefined, phase: 'Running', expected: 'Running' },
    { reason: 'with bootstrap data', created: true, phase: 'Pending', expected: 'Provisioning' },
  ])('without Nodes and infrastructure, $reason, is $expected', ({ created, phase, expected }) => {
    const pool = readWholeMachinePool(
      aPool()
        .withStatus(phase === undefined ? {} : { phase })
        .build(),
    );
    const after = { infrastructureProvisioned: undefined, bootstrapDataSecretCreated: created } as const;
    expect(phaseOf(pool, { ...after, nodeRefs: [], readyReplicas: 0 })).toBe(expected);
  });
});

describe('a pool that no Cluster owns', () => {
  it('gets the Cluster as owner', async () => {
    const owned = aPool().build();
    const world = createPoolWorld({ pool: { ...owned, metadata: { ...owned.metadata, ownerReferences: [] } } });
    await world.reconcileOnce();
    expect(world.pool().metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name: 'c1' }]);
  });
});

describe('the values of the infrastructure', () => {
  it('may lack replicas and machines', async () => {
    const world = createPoolWorld({
      pool: aPool().withSpec({ providerIDList: ['p1'] }),
      infrastructure: anInfrastructure({ ready: true }, []),
    });
    await world.reconcileOnce();
    expect(world.specOf('providerIDList')).toBeUndefined();
  });

  it('may contain an empty id, which names no Node', async () => {
    const world = createPoolWorld({ infrastructure: anInfrastructure(undefined, ['p1', '']) });
    await world.reconcileOnce();
    expect(world.nodeNames()).toEqual(['n1']);
  });

  it('may lack replicas although Nodes are named', async () => {
    const pool = aPool().withStatus({ nodeRefs: [{ name: 'n1', uid: 'old' }] });
    const world = createPoolWorld({ pool, infrastructure: anInfrastructure({ ready: true }) });
    await world.reconcileOnce();
    expect(world.nodeNames()).toEqual(['n1', 'n2']);
    expect(world.deprecated('unavailableReplicas')).toBe(-2);
  });

  it('may have no machines while the pool names a Node that is gone', async () => {
    const pool = aPool().withStatus({ replicas: 2, nodeRefs: [{ name: 'gone', uid: 'g' }] });
    const world = createPoolWorld({ pool, infrastructure: anInfrastructure(undefined, []) });
    await world.reconcileOnce();
    expect(world.nodeNames()).toEqual(['gone']);
    expect(world.statusOf('versions')).toBeUndefined();
  });
});

it('counts of another number of replicas are corrected', async () => {
  const world = createPoolWorld();
  await world.reconcileOnce();
  const status = { deprecated: { v1beta1: { unavailableReplicas: 1 } } };
  await world.api.others.mergePatch(world.ref, { status }, { subresource: 'status' });
  expect(world.deprecated('unavailableReplicas')).toBe(1);
  await world.reconcileOnce();
  expect(world.deprecated('unavailableReplicas')).toBeUndefined();
});

describe('a Node', () => {
  it('gets only what it lacks', async () => {
    const world = createPoolWorld({ nodes: [aNode(1).withSpec({ taints: [] }), aNode(2)] });
    await world.reconcileOnce();
    const endpoint = world.remote.core.registry.endpointOfKind('v1', 'Node');
    const taints = [{ key: 'a', value: 'x', effect: 'NoSchedule' }, uninitialized];
    world.remote.core.patch({ endpoint, namespace: '', name: 'n2' }, { type: 'merge', body: { spec: { taints } } });
    await world.reconcileOnce();
    const [first, second] = world.nodes();
    expect(first?.metadata.annotations).toMatchObject({
      'cluster.x-k8s.io/owner-kind': 'MachinePool',
    });
    expect(valueAt(second?.spec, 'taints')).toEqual([{ key: 'a', value: 'x', effect: 'NoSchedule' }]);
  });

  it('that is ready since an unknown time is not available yet', async () => {
    const unknown = aNode(2).withStatus({ conditions: [{ type: 'Ready', status: 'True' }] });
    const world = createPoolWorld({ pool: aPool().withTemplate({ minReadySeconds: 20 }), nodes: [aNode(1), unknown] });
    await world.reconcileOnce();
    expect(world.deprecated('readyReplicas')).toBe(2);
    expect(world.deprecated('availableReplicas')).toBe(1);
  });
});

it('the Nodes of a pool are awaited from now on if the time of its deletion is unknown', () => {
  const pool = readWholeMachinePool(
    aPool()
      .withTemplate({ deletion: { nodeDeletionTimeoutSeconds: 1 } })
      .withStatus({ nodeRefs: [{ name: 'n1', uid: 'u' }] })
      .build(),
  );
  expect(needsNodes(pool, 0)).toBe(true);
});

it('a Machine whose apply was not sent is no Machine of the pool, and is not patched', () => {
  const pool = readWholeMachinePool(aPool().build());
  const seen = {
    pool,
    nodes: { state: 'listed', nodes: [] },
    members: { state: 'listed', infraMachines: [aFooMachine(1).build()], machines: [] },
  } as unknown as ObservedPool; // true: only these parts are read
  const { actions, machinesAfter } = membersPhase(seen, 0);
  const outcomes = new Map();
  expect(machinesAfter(outcomes)).toEqual([]);
  const patch = actions.find(action => action.do === 'patch');
  expect(patch?.when?.(outcomes)).toBe(false);
  expect(
    [patch?.body, patch?.resourceVersion].map(each => (typeof each === 'function' ? each(outcomes) : each)),
  ).toEqual([{}, '']);
});
