// The deletion of a MachinePool.
import type { FailureReason } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { testStart } from '../../../support/object-builder.ts';
import { aCapiCluster, aConfig, aNode, anInfrastructure, aPool, type PoolTestObject } from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

const timeout = (seconds: number) => ({ deletion: { nodeDeletionTimeoutSeconds: seconds } });
const nodeRefs = (...names: readonly string[]) => ({
  nodeRefs: names.map(name => ({ apiVersion: 'v1', kind: 'Node', name, uid: `uid-${name}` })),
});

/** A pool whose objects are gone, and whose Node n1 has left the pool. */
function aDeletedPool(seconds = 600): PoolTestObject {
  return aPool()
    .withFinalizers('x/y')
    .withSpec({ providerIDList: ['p2'] })
    .withTemplate(timeout(seconds))
    .withStatus(nodeRefs('n1', 'n2'))
    .deleting();
}

const withoutObjects = { bootstrap: null, infrastructure: null } as const;

describe('the deletion of a pool', () => {
  it('deletes its objects first, and waits for them', async () => {
    const world = createPoolWorld({
      pool: aPool().withFinalizers('x/y').deleting(),
      bootstrap: aConfig().withFinalizers('b/b'),
      infrastructure: anInfrastructure().withFinalizers('i/i'),
    });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.find(aConfig())?.metadata.deletionTimestamp).toBeDefined();
    expect(world.find(anInfrastructure())?.metadata.deletionTimestamp).toBeDefined();
    expect(world.statusOf('phase')).toBe('Deleting');
    expect(world.pool().metadata.finalizers).toHaveLength(2);
    // Objects in deletion are not deleted again.
    expect(await world.reconcileOnce()).toEqual({ result: 'done', writes: [] });
  });

  it('deletes Nodes that have left the pool, then ends', async () => {
    const world = createPoolWorld({ ...withoutObjects, pool: aDeletedPool() });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.nodes().map(({ metadata }) => metadata.name)).toEqual(['n2']);
    expect(world.pool().metadata.finalizers).toEqual(['x/y']);
  });

  it('sends nothing to the workload cluster after the time for its Nodes', async () => {
    const world = createPoolWorld({ ...withoutObjects, pool: aDeletedPool(10) });
    await world.api.clock.advance(60_000);
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.remote.sent).toBe(0);
    expect(world.pool().metadata.finalizers).toEqual(['x/y']);
  });

  it('waits for Nodes without time limit', async () => {
    const world = createPoolWorld({ ...withoutObjects, pool: aDeletedPool(0), fault: 'down' });
    expect(await world.reconcileOnce()).toMatchObject({
      result:
        'failed to reconcile delete: failed deleting nodes: error getting client: connection to the workload cluster is down',
    });
    expect(world.pool().metadata.finalizers).toHaveLength(2);
  });

  it('is an error while Nodes cannot be listed', async () => {
    const world = createPoolWorld({ ...withoutObjects, pool: aDeletedPool() });
    world.reading.listFault = 'boom';
    expect(await world.reconcileOnce()).toMatchObject({
      result: 'failed to reconcile delete: failed deleting nodes: boom',
    });
  });

  it('needs no Node of a pool without Nodes', async () => {
    const world = createPoolWorld({
      ...withoutObjects,
      pool: aPool().withFinalizers('x/y').deleting(testStart),
      nodes: [aNode(1)],
    });
    await world.reconcileOnce();
    expect(world.remote.sent).toBe(0);
    expect(world.pool().metadata.finalizers).toEqual(['x/y']);
  });

  it.each<{ readonly kind: string; readonly at: string; readonly reason: FailureReason; readonly error: string }>([
    {
      kind: 'FooConfig',
      at: 'get',
      reason: 'InternalError',
      error: 'failed to get FooConfig ns/b1 for MachinePool ns/mp1: failed to retrieve FooConfig ns/b1: boom',
    },
    {
      kind: 'CustomResourceDefinition',
      at: 'metadata',
      reason: 'NotFound',
      error: 'failed to get object from ref: failed to get CustomResourceDefinition metadata: boom',
    },
    {
      kind: 'FooMachinePool',
      at: 'delete',
      reason: 'Forbidden',
      error:
        'failed to delete infrastructure.cluster.x-k8s.io/v1beta2, Kind=FooMachinePool "i1" for MachinePool "mp1" in namespace "ns": boom',
    },
  ])('is an error if $at of $kind fails', async ({ kind, at, reason, error }) => {
    const world = createPoolWorld({ pool: aPool().deleting(), cluster: aCapiCluster() });
    world.api.calls.fail({
      at: ({ verb, kind: of }) => verb === at && of === kind,
      failure: { reason, message: 'boom' },
    });
    const { result } = await world.reconcileOnce();
    expect(result).toContain('failed to reconcile delete: failed deleting external references: ');
    expect(result).toContain(error);
  });
});
