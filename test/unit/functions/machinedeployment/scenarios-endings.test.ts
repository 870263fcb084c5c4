// The scenarios of MachineDeployments: failures, deletions, restarts, and requests.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { testStart } from '../../../support/object-builder.ts';
import {
  aCluster,
  aConfigTemplate,
  aDeployment,
  aNewDeployment,
  aSet,
  aWorld,
  finalizer,
  rolling,
  type SetParts,
} from './deployment-with-sets.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';

const at = (object: Unstructured, path: string) => valueAt(object as Readonly<Record<string, unknown>>, path);
const upToDate = (number: number, spec: number, more: Partial<SetParts> = {}) => aSet(number, { spec, ...more });
const stale = (number: number, spec: number, more: Partial<SetParts> = {}) =>
  aSet(number, { spec, isStale: true, ...more });

describe('failed writes of MachineSets', () => {
  it('end the pass before the old ones', async () => {
    const deployment = aDeployment().annotated({ [revision]: '1' });
    const world = await aWorld({ deployment, sets: [stale(1, 3)] });
    world.failing({ verb: 'apply', kind: 'MachineSet' });
    expect(await world.reconcile()).toMatch(
      /^failed to create MachineSet ns\/md1-.{5}: failed to apply MachineSet: boom$/,
    );
    expect(world.events()).toEqual([
      'Warning FailedCreate Failed to create MachineSet ns/md1-xxxxx: failed to apply MachineSet: boom',
    ]);
    expect(world.deployment().metadata.annotations?.[revision]).toBe('1');
    expect(at(world.deployment(), 'status.replicas')).toBe(3);
  });

  it('of an update name the MachineSet', async () => {
    const world = await aWorld({ sets: [stale(1, 3), upToDate(2, 1)] });
    world.failing({ verb: 'apply', kind: 'MachineSet', name: 'ms2' });
    expect(await world.reconcile()).toBe('failed to update MachineSet ns/ms2: failed to apply MachineSet: boom');
    expect(world.sets()).toEqual({ ms1: 3, ms2: 1 });
    const paused = await aWorld({ deployment: aDeployment({ paused: true, replicas: 5 }), sets: [stale(1, 3)] });
    paused.failing({ verb: 'apply', kind: 'MachineSet' });
    expect(await paused.reconcile()).toBe('boom');
    expect(paused.events()).toEqual(['Warning FailedScale Failed to scale MachineSet ns/ms1: boom']);
  });
});

describe('empty old MachineSets', () => {
  const complete = [stale(1, 0), stale(2, 0), upToDate(3, 3)];

  it('are deleted after the rollout', async () => {
    const world = await aWorld({ sets: complete });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms3: 3 });
    // The names of Events are digests, so their order is not that of the deletions.
    expect(world.events().toSorted()).toEqual([
      'Normal SuccessfulDelete Deleted MachineSet "ms1"',
      'Normal SuccessfulDelete Deleted MachineSet "ms2"',
    ]);
  });

  it('are deleted after the generation is reported', async () => {
    const world = await aWorld({ sets: complete });
    const rollingUpdate = { maxSurge: 2 };
    await world.api.others.mergePatch(world.ref, { spec: { rollout: { strategy: { rollingUpdate } } } });
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({ ms3: 3 });
  });

  it('stay while the new Machines are not available', async () => {
    const world = await aWorld({ sets: [stale(1, 0), upToDate(2, 3, { available: 2 })] });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 0, ms2: 3 });
  });

  it('stay if they cannot be deleted', async () => {
    const world = await aWorld({ sets: complete });
    world.failing({ verb: 'delete', kind: 'MachineSet', name: 'ms1' });
    expect(await world.reconcile()).toBe('failed to delete MachineSet ns/ms1 (cleanup of old MachineSets): boom');
    expect(world.events()).toEqual(['Warning FailedDelete Failed to delete MachineSet "ms1": boom']);
    expect(world.sets()).toEqual({ ms1: 0, ms2: 0, ms3: 3 });
  });
});

describe('a MachineDeployment in deletion', () => {
  const deleting = aDeployment().deleting(testStart);

  it('deletes its MachineSets, then loses its finalizer', async () => {
    const world = await aWorld({ deployment: deleting, sets: [upToDate(1, 3)] });
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({});
    expect(world.condition('Deleting')).toBe('True/Deleting Deleting 3 Machines');
    expect(world.condition('ScalingDown')).toBe('True/ScalingDown Scaling down from 3 to 0 replicas');
    await world.reconcile();
    expect(world.api.find(world.ref)).toBeUndefined();
  });

  it('without Cluster is deleted (row 1)', async () => {
    const world = await aWorld({ deployment: deleting, cluster: null });
    await world.reconcile();
    expect(world.api.find(world.ref)).toBeUndefined();
  });

  it('adopts nothing (row 32)', async () => {
    const world = await aWorld({ deployment: deleting, sets: [aSet(1, { spec: 3 }, set => set.owners())] });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 3 });
    expect(world.api.find(world.ref)).toBeUndefined();
  });

  it('keeps its finalizer while its MachineSets cannot be listed', async () => {
    const world = await aWorld({ deployment: deleting, sets: [upToDate(1, 3)] });
    world.failing({ verb: 'list', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('boom');
    expect(world.condition('Deleting')).toBe('Unknown/InternalError Please check controller logs for errors');
    expect(world.deployment().metadata.finalizers).toEqual([finalizer]);
  });
});

describe('the requests of a settled MachineDeployment', () => {
  it.each([{ replicas: 1 }, { replicas: 3 }, { replicas: 30 }])(
    'are 8 with $replicas Machines, and none of them writes',
    async ({ replicas }) => {
      const world = await aWorld({ deployment: aDeployment({ replicas }), sets: [upToDate(1, replicas)] });
      await world.reconcile();
      await world.reconcile();
      world.takeWrites();
      await world.reconcile();
      expect(world.api.calls.writes).toEqual([]);
      expect(world.api.calls.all).toHaveLength(8);
    },
  );
});

describe('a restart of all Machines', () => {
  const restarting = (after: string) => aDeployment({ rollout: { ...rolling(1, 0).rollout, after } });

  it('creates one MachineSet with the same template, and no further one', async () => {
    const world = await aWorld({ deployment: restarting('2026-01-01T00:00:30Z'), sets: [upToDate(1, 3)] });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 3, 'md1-xxxxx': 1 });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 3, 'md1-xxxxx': 1 });
  });

  it('waits for its time', async () => {
    const world = await aWorld({ deployment: restarting('2026-01-01T00:11:01Z'), sets: [upToDate(1, 3)] });
    expect(await world.reconcile()).toContain('600');
    expect(world.sets()).toEqual({ ms1: 3 });
  });

  it('is over for MachineSets that are young enough', async () => {
    const world = await aWorld({ deployment: restarting('2026-01-01T00:00:01Z'), sets: [upToDate(1, 3)] });
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({ ms1: 3 });
  });
});

describe('failures before the MachineSets are planned', () => {
  it.each([
    { reason: 'of a template that cannot be read', verb: 'metadata', kind: 'CustomResourceDefinition' },
    { reason: 'of the list of MachineSets', verb: 'list', kind: 'MachineSet' },
  ])('$reason are reported, and counters stay', async ({ verb, kind }) => {
    const deployment = aDeployment().withStatus({ replicas: 2 });
    const world = await aWorld({ deployment, sets: [upToDate(1, 3)] });
    world.failing({ verb, kind });
    expect(await world.reconcile()).toContain('boom');
    expect(world.condition('ScalingUp')).toContain('Unknown/InternalError');
    expect(at(world.deployment(), 'status.replicas')).toBe(2);
    expect(at(world.deployment(), 'status.phase')).toBe('Unknown');
  });

  it('of the list of Machines write nothing', async () => {
    const world = await aWorld({ sets: [upToDate(1, 3)] });
    world.failing({ verb: 'list', kind: 'Machine' });
    expect(await world.reconcile()).toBe('failed to list Machines: boom');
    expect(world.takeWrites()).toEqual([]);
  });

  it.each([
    {
      reason: 'of its finalizer',
      deployment: aNewDeployment(),
      error: 'failed to patch MachineDeployment ns/md1: boom',
    },
    {
      reason: 'of its owner reference',
      deployment: aDeployment().owners(),
      error: 'failed to patch MachineDeployment ns/md1: boom',
    },
  ])('$reason are reported', async ({ deployment, error }) => {
    const world = await aWorld({ deployment, sets: [upToDate(1, 3)] });
    world.api.calls.fail({
      at: call => call.kind === 'MachineDeployment' && call.verb === 'patch' && call.subresource === undefined,
      failure: { reason: 'Forbidden', message: 'boom' },
    });
    expect(await world.reconcile()).toBe(error);
  });

  it('of the owner reference of a template are reported', async () => {
    const world = await aWorld({ templates: [aConfigTemplate.owners()] });
    world.failing({ verb: 'patch', kind: 'FooConfigTemplate' });
    expect(await world.reconcile()).toBe('boom');
    expect(world.sets()).toEqual({});
  });

  it('are not possible while it is paused', async () => {
    const world = await aWorld({
      deployment: aDeployment({ replicas: 5 }),
      cluster: aCluster.withSpec({ paused: true }),
      sets: [upToDate(1, 3)],
    });
    await world.reconcile();
    expect(await world.reconcile()).toBe('done');
  });
});

describe('failures at the end of a pass', () => {
  const failPatch = (world: Awaited<ReturnType<typeof aWorld>>, field: string) =>
    world.api.calls.fail({
      at: call =>
        call.kind === 'MachineDeployment' &&
        call.verb === 'patch' &&
        call.subresource === undefined &&
        JSON.stringify(call.body).includes(field),
      failure: { reason: 'Forbidden', message: 'boom' },
    });

  it('of the revision are reported', async () => {
    const world = await aWorld({ sets: [upToDate(1, 3)] });
    failPatch(world, revision);
    expect(await world.reconcile()).toBe('failed to patch MachineDeployment ns/md1: boom');
  });

  it('of a deletion are reported', async () => {
    const deleting = aDeployment().deleting();
    const world = await aWorld({ deployment: deleting, sets: [upToDate(1, 3)] });
    world.failing({ verb: 'delete', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('failed to delete MachineSet ns/ms1 (MachineDeployment deleting): boom');
    const last = await aWorld({ deployment: deleting });
    failPatch(last, 'finalizers');
    expect(await last.reconcile()).toBe('failed to patch MachineDeployment ns/md1: boom');
  });

  it('of a repair are reported', async () => {
    const world = await aWorld({ sets: [upToDate(1, 3)] });
    const { apiVersion, kind, metadata } = world.set('ms1');
    const ref = { apiVersion, kind, namespace: 'ns', name: metadata.name };
    await world.api.others.mergePatch(ref, { metadata: { managedFields: [{}] } });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('boom');
  });

  it('do not follow from the label and the revision in one pass', async () => {
    const world = await aWorld({ deployment: aDeployment().owners(), sets: [upToDate(1, 3)] });
    expect(await world.reconcile()).toBe('done');
    expect(world.deployment().metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name: 'c1' }]);
    expect(world.deployment().metadata.annotations).toMatchObject({ [revision]: '1' });
  });
});
