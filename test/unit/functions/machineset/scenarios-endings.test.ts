// Scenarios of the status of a MachineSet, and of its deletion.
import { describe, expect, it } from 'vitest';
import { createMachineSetReconciler } from '../../../../functions/machineset/reconciler.ts';
import { defaultSettings } from '../../../../functions/machineset/settings.ts';
import {
  aChild,
  aDeployment,
  aMachineOf,
  aSet,
  aWorld,
  crds,
  invoke,
  machineSpec,
  refs,
  selectorLabels,
  setFinalizer,
  setOwner,
} from './set-with-machines.ts';

describe('the status', () => {
  it('counts Machines, and nothing is written again', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    for (const field of ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas']) {
      expect(world.status(field)).toBe(2);
    }
    expect(world.status('versions')).toEqual([{ version: 'v1.31.0', replicas: 2 }]);
    expect(world.condition('MachinesReady')).toBe('True/Ready');
    expect(world.condition('Deleting')).toBe('False/NotDeleting');
    expect(world.status('observedGeneration')).toBe(1);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.takeWrites()).toEqual([]);
  });

  it('is computed again when Machines become available', async () => {
    const template = { metadata: { labels: selectorLabels }, spec: { ...machineSpec, minReadySeconds: 30 } };
    const world = await aWorld({ set: aSet({ template }), machines: ['m1', 'm2'] });
    await world.setCondition('m1', 'Available', 'False');
    expect(await world.reconcile()).toBe('requeueAfter 30000');
  });

  it('reports when it cannot be computed', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    world.failing({ verb: 'patch', kind: 'MachineSet', subresource: 'status' });
    await world.setCondition('m1', 'Ready', 'False');
    expect(await world.reconcile()).toBe('Writing the status of MachineSet ms1 failed: boom');
  });
});

describe('the deletion of a MachineSet', () => {
  it('deletes its Machines first', async () => {
    const foreign = aMachineOf('m9').owners({ ...setOwner, uid: 'u-x' });
    const world = await aWorld({ machines: ['m1', 'm2'], others: [foreign] });
    await world.api.others.delete(refs.set);
    world.takeWrites();
    expect(await world.reconcile(5)).toBe('done');
    expect(world.deleting()).toEqual(['m1', 'm2']);
    expect(world.condition('Deleting')).toBe('True/Deleting Deleting 2 Machines');
    expect(world.condition('ScalingDown')).toBe('True/ScalingDown Scaling down from 2 to 0 replicas');
    expect(world.v1beta1('Resized')).toBe('False/Warning/ScalingDown Scaling down MachineSet to 0 replicas (actual 2)');
    expect(world.set().metadata.finalizers).toEqual([setFinalizer]);
    await world.reconcile(5);
    expect(world.takeWrites().filter(line => line.startsWith('delete'))).toHaveLength(2);
  });

  it('stops at the first Machine that cannot be deleted', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.api.others.delete(refs.set);
    world.failing({ verb: 'delete', kind: 'Machine', name: 'm1' });
    expect(await world.reconcile()).toBe('failed to reconcile delete: failed to delete Machine ns/m1: boom');
    expect(world.deleting()).toEqual([]);
  });

  it.each([
    { reason: 'with its Cluster', parts: { set: aSet().deleting() } },
    { reason: 'without its Cluster', parts: { set: aSet().deleting(), cluster: null } },
    { reason: 'without its MachineDeployment', parts: { set: aChild().deleting() } },
    { reason: 'without templates', parts: { set: aSet().deleting(), templates: [] } },
  ])('ends when no Machine is left: $reason', async ({ parts }) => {
    const world = await aWorld(parts);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.api.find(refs.set)).toBeUndefined();
    expect(world.takeWrites().slice(-2)).toEqual(['patch MachineSet ns/ms1 status', 'patch MachineSet ns/ms1']);
  });

  it('ends although a CRD is missing', async () => {
    const { machineTemplate: _, ...others } = crds;
    const world = await aWorld({ set: aSet().deleting(), templates: [], crds: Object.values(others) });
    expect(await world.reconcile()).toContain('failed to reconcile infrastructure: ');
    expect(world.api.find(refs.set)).toBeUndefined();
  });

  it('keeps the finalizers of others', async () => {
    const world = await aWorld({ set: aSet().withFinalizers('other.io/f').deleting() });
    await world.reconcile(5);
    expect(world.set().metadata.finalizers).toEqual(['other.io/f']);
    expect(world.condition('Deleting')).toBe('True/Deleting Deletion completed');
    world.takeWrites();
    expect(await world.reconcile(5)).toBe('done');
    expect(world.takeWrites()).toEqual([]);
  });

  it('reports a finalizer that cannot be removed', async () => {
    const world = await aWorld({ set: aSet().deleting() });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('failed to patch MachineSet ns/ms1: boom');
  });

  it('does not wait for timers', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.api.others.delete(refs.set);
    await world.reconcile(5);
    await world.api.clock.advance(20 * 60_000);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.condition('Deleting')).toBe(
      'True/Deleting Deleting 2 Machines\n* Machines m1, m2 are in deletion since more than 15m',
    );
  });
});

describe('the requests of a settled MachineSet of a MachineDeployment', () => {
  it.each([{ count: 1 }, { count: 2 }, { count: 30 }])(
    'are 12 with $count Machines, and none of them writes',
    async ({ count }) => {
      const machines = Array.from({ length: count }, (_, index) => `m${index + 1}`);
      const before = [aDeployment({ replicas: count })];
      const world = await aWorld({ before, set: aChild({ replicas: count }), machines });
      expect(await world.reconcile(5)).toBe('done');
      expect(world.status('replicas')).toBe(count);
      expect(world.api.calls.all).toHaveLength(12);
      expect(world.takeWrites()).toEqual([]);
    },
  );

  it('are 8 if its process has just read the definitions of its objects', async () => {
    const world = await aWorld({ before: [aDeployment()], set: aChild(), machines: ['m1', 'm2'] });
    const reconciler = createMachineSetReconciler(defaultSettings);
    await invoke(world.api, { reconciler });
    world.api.calls.reset();
    await invoke(world.api, { reconciler });
    expect(world.api.calls.all).toHaveLength(8);
  });
});
