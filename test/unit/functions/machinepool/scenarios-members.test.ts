// Pools whose provider represents each machine by an object: one Machine for each.
import { describe, expect, it } from 'vitest';
import { conditionIn, conditionText } from '../../../support/result-text.ts';
import {
  aFooMachine,
  aNode,
  anInfrastructure,
  aPool,
  aPoolMachine,
  clusterNameLabel,
  core,
  poolNameLabel,
} from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

const withMachines = anInfrastructure({ ready: true, replicas: 2, infrastructureMachineKind: 'FooMachine' });
const given = {
  infrastructure: withMachines,
  objects: [aFooMachine(1), aFooMachine(2), aFooMachine(3, 'p3').unlabelled()],
};

function upToDateOf(machine: { readonly status?: unknown } | undefined): string | undefined {
  const { conditions } = (machine?.status ?? {}) as { readonly conditions?: unknown }; // true: the definition requires this form
  return conditionText(conditionIn(conditions, 'UpToDate'));
}

describe('the Machines of a pool', () => {
  it('are one for each object with the labels of the pool', async () => {
    const world = createPoolWorld(given);
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(world.machines().map(({ metadata }) => metadata.name)).toEqual(['x1', 'x2']);
    const [first] = world.machines();
    expect(first?.metadata.labels).toEqual({ [clusterNameLabel]: 'c1', [poolNameLabel]: 'mp1' });
    expect(first?.metadata.ownerReferences).toMatchObject([{ kind: 'MachinePool', name: 'mp1', controller: true }]);
    expect(first?.spec).toEqual({
      clusterName: 'c1',
      bootstrap: { dataSecretName: '' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine', name: 'x1' },
      version: 'v1.31.0',
    });
    expect(upToDateOf(first)).toBe('True/UpToDate');
    expect(world.pool().status).toMatchObject({ readyReplicas: 0, availableReplicas: 0, upToDateReplicas: 2 });
    expect(world.statusOf('versions')).toEqual([{ version: 'v1.31.0', replicas: 2 }]);
  });

  it('are not written once they are settled', async () => {
    const world = createPoolWorld(given);
    await world.reconcileOnce();
    const before = world.api.calls.all.length;
    expect(await world.reconcileOnce()).toEqual({ result: 'done', writes: [] });
    expect(world.api.calls.all.length - before).toBeLessThanOrEqual(9);
  });

  it('are counted by their conditions', async () => {
    const world = createPoolWorld(given);
    await world.reconcileOnce();
    const conditions = ['Ready', 'Available'].map(type => ({
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }));
    const x1 = { apiVersion: core, kind: 'Machine', namespace: 'ns', name: 'x1' };
    await world.api.others.mergePatch(x1, { status: { conditions } }, { subresource: 'status' });
    await world.reconcileOnce();
    expect(world.pool().status).toMatchObject({ readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 2 });
  });

  it('keep the name of a Machine that exists, and get the labels and annotations of the template', async () => {
    const pool = aPool().withSpec({
      template: {
        ...(aPool().build().spec as { readonly template: object }).template, // true: the pool has a template
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      },
    });
    const world = createPoolWorld({ ...given, pool, objects: [...given.objects, aPoolMachine('y1', 'x1')] });
    await world.reconcileOnce();
    expect(world.machines().map(({ metadata }) => metadata.name)).toEqual(['x2', 'y1']);
    const adopted = world.machines().find(({ metadata }) => metadata.name === 'y1');
    expect(adopted?.metadata.labels).toMatchObject({ a: 'b' });
    expect(adopted?.metadata.annotations).toEqual({ c: 'd' });
    expect(adopted?.metadata.ownerReferences).toHaveLength(1);
  });

  it('in deletion are not up to date', async () => {
    const deleted = aPoolMachine('x2', 'x2').withFinalizers('x/y').deleting();
    const world = createPoolWorld({ ...given, objects: [...given.objects, deleted] });
    await world.reconcileOnce();
    const machine = world.machines().find(({ metadata }) => metadata.name === 'x2');
    expect(upToDateOf(machine)).toBe('False/NotUpToDate Machine is being deleted');
    expect(world.statusOf('upToDateReplicas')).toBe(1);
  });

  it('are kept while the object of the provider is gone', async () => {
    const world = createPoolWorld(given);
    await world.reconcileOnce();
    const { apiVersion, kind } = aFooMachine(2).build();
    await world.api.others.delete({ apiVersion, kind, namespace: 'ns', name: 'x2' });
    expect(await world.reconcileOnce()).toEqual({ result: 'done', writes: [] });
    expect(world.machines()).toHaveLength(2);
  });

  it('of another controller are neither counted nor reported, and an apply to them fails with their name', async () => {
    const other = aPool().named('mp9').withUid('uid-mp9');
    const foreign = aPoolMachine('z1', 'x9').ownedBy(other, { controller: true });
    const world = createPoolWorld({ ...given, objects: [...given.objects, other, foreign] });
    expect(await world.reconcileOnce()).toMatchObject({ result: 'done' });
    expect(upToDateOf(world.machines().find(({ metadata }) => metadata.name === 'z1'))).toBeUndefined();
    expect(world.statusOf('upToDateReplicas')).toBe(2);
    const claimed = aPoolMachine('z1', 'x1').ownedBy(other, { controller: true });
    const refused = createPoolWorld({ ...given, objects: [...given.objects, other, claimed] });
    expect((await refused.reconcileOnce()).result).toContain(
      'failed to create machines for MachinePool "mp1" in namespace "ns": failed to update Machine "ns/z1": failed to apply Machine: ',
    );
    expect(refused.statusOf('upToDateReplicas')).toBe(1);
  });

  it('keep their versions while the Nodes cannot be listed', async () => {
    const world = createPoolWorld(given);
    await world.reconcileOnce();
    world.reading.listFault = 'boom';
    const { result } = await world.reconcileOnce();
    expect(result).toBe(
      '[failed to reconcile infrastructure: failed to get nodeRefs for MachinePool ns/mp1: boom, failed to reconcile nodeRefs: failed to get Node references]',
    );
    expect(world.machines().map(({ spec }) => (spec as { readonly version?: string }).version)).toEqual([
      'v1.31.0',
      'v1.31.0',
    ]); // true: the definition requires this form
  });

  it.each([
    { kind: 'FooMachine', error: 'failed to list infra machines for MachinePool "mp1" in namespace "ns": boom' },
    { kind: 'Machine', error: 'failed to list machines for MachinePool "mp1" in namespace "ns": boom' },
  ])('keep their counters while $kind objects cannot be listed', async ({ kind, error }) => {
    const world = createPoolWorld(given);
    await world.reconcileOnce();
    world.api.calls.fail({
      at: ({ verb, kind: listed }) => verb === 'list' && listed === kind,
      failure: { reason: 'InternalError', message: 'boom' },
    });
    const { result } = await world.reconcileOnce();
    expect(result).toBe(
      `failed to reconcile infrastructure: failed to reconcile Machines for MachinePool ns/mp1: ${error}`,
    );
    expect(world.statusOf('upToDateReplicas')).toBe(2);
    expect(world.statusOf('versions')).toHaveLength(1);
  });

  it('without Node have no version', async () => {
    const world = createPoolWorld({ ...given, nodes: [aNode(1)] });
    await world.reconcileOnce();
    expect(world.machines().map(({ spec }) => (spec as { readonly version?: string }).version)).toEqual([
      'v1.31.0',
      undefined,
    ]); // true: the definition requires this form
  });
});
