// Scenarios of updates in place: a MachineSet hands Machines over to another one, which starts their updates.

import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  aNewSet,
  aSet,
  aWorld,
  type MachineSetWorld,
  machineSpec,
  refs,
  selectorLabels,
  setFinalizer,
} from './set-with-machines.ts';

const prefix = 'in-place-updates.internal.cluster.x-k8s.io';
const moveTo = `${prefix}/move-machines-to-machineset`;
const receiveFrom = `${prefix}/receive-machines-from-machinesets`;
const acknowledged = `${prefix}/acknowledged-move`;
const pending = `${prefix}/pending-acknowledge-move`;
const inProgress = `${prefix}/update-in-progress`;
const pendingHooks = 'runtime.cluster.x-k8s.io/pending-hooks';
const hashLabel = 'machine-template-hash';

const targetSet = (from: string, labels: Readonly<Record<string, string>> = { [hashLabel]: '456' }) =>
  aNewSet({ replicas: 0, selector: { matchLabels: { other: 'x' } } })
    .named('ms2')
    .withUid('u-ms2')
    .labelled(labels)
    .annotated({ [receiveFrom]: from })
    .withFinalizers(setFinalizer);

const four = ['m1', 'm2', 'm3', 'm4'];

async function handingOver(from = 'ms1,ms3', labels?: Readonly<Record<string, string>>): Promise<MachineSetWorld> {
  const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four, before: [targetSet(from, labels)] });
  await world.change(refs.set, { metadata: { annotations: { [moveTo]: 'ms2' } }, spec: { replicas: 2 } });
  world.takeWrites();
  return world;
}

function ownerOf(world: MachineSetWorld, name: string): string | undefined {
  return world.machine(name).metadata.ownerReferences?.find(({ controller }) => controller === true)?.name;
}

function movedTo(world: MachineSetWorld): readonly string[] {
  return four.filter(name => ownerOf(world, name) === 'ms2');
}

describe('surplus Machines of a MachineSet that hands them over', () => {
  it('get the other MachineSet as controller', async () => {
    const world = await handingOver();
    await world.change(refs.set, { spec: { deletion: { order: 'Newest' } } });
    expect(await world.reconcile()).toBe('done');
    expect(movedTo(world)).toEqual(['m3', 'm4']);
    expect(world.machine('m4').metadata).toMatchObject({
      labels: { [hashLabel]: '456' },
      annotations: { [inProgress]: '', [pending]: '' },
    });
    expect(world.status('replicas')).toBe(4);
    expect(world.condition('ScalingDown')).toBe('True/ScalingDown Scaling down from 4 to 2 replicas');
  });

  it('include those in deletion', async () => {
    const world = await handingOver();
    await world.change(refs.set, { spec: { deletion: { order: 'Newest' } } });
    await world.api.others.delete(refs.machine('m4'));
    await world.reconcile();
    expect(movedTo(world)).toEqual(['m3']);
  });

  it('are those that are not updated yet', async () => {
    const world = await handingOver();
    await world.change(refs.machine('m2'), { metadata: { annotations: { [pendingHooks]: 'UpdateMachine' } } });
    await world.change(refs.machine('m3'), { metadata: { annotations: { [pendingHooks]: 'UpdateMachine' } } });
    await world.reconcile(5);
    expect(movedTo(world)).toEqual(['m1', 'm4']);
  });

  it('are deleted if they are unhealthy, and stay without Node', async () => {
    const world = await handingOver();
    await world.setCondition('m1', 'HealthCheckSucceeded', 'False');
    await world.setCondition('m1', 'OwnerRemediated', 'False');
    await world.change(refs.machine('m2'), { status: { nodeRef: null } }, 'status');
    await world.reconcile(5);
    expect(world.isDeleting('m1')).toBe(true);
    expect(movedTo(world)).toEqual(['m3']);
  });

  it('stay if the other MachineSet does not accept them', async () => {
    const world = await handingOver('ms3,ms4');
    expect(await world.reconcile()).toBe(
      'failed to sync replicas: MachineSet ms1 is set to move replicas to ms2, but ms2 only accepts Machines from ms3,ms4',
    );
    expect(movedTo(world)).toEqual([]);
  });

  it('stay if the other MachineSet has no hash', async () => {
    const world = await handingOver('ms1', {});
    expect(await world.reconcile()).toBe(
      'failed to sync replicas: MachineSet ms2 does not have the machine-template-hash label',
    );
    expect(movedTo(world)).toEqual([]);
  });

  it('stay if the other MachineSet is missing', async () => {
    const world = await handingOver();
    await world.change(refs.set, { metadata: { annotations: { [moveTo]: 'ms9' } } });
    expect(await world.reconcile()).toBe(
      'failed to sync replicas: failed to get MachineSet ms9, which is the target for the move operation: machinesets.cluster.x-k8s.io "ms9" not found',
    );
  });
});

async function receiving(annotations: Readonly<Record<string, string | null>>, replicas = 2): Promise<MachineSetWorld> {
  const template = { metadata: { labels: selectorLabels }, spec: { ...machineSpec, version: 'v1.31.0' } };
  const world = await aWorld({ set: aSet({ template }), machines: ['m1', 'm2'] });
  await world.change(refs.machine('m1'), { metadata: { annotations: { [inProgress]: '', [pending]: '' } } });
  await world.change(refs.set, {
    metadata: { annotations },
    spec: { replicas, template: { spec: { version: 'v1.32.0', failureDomain: 'fd1' } } },
  });
  world.takeWrites();
  return world;
}

describe('a Machine that was handed over', () => {
  it('waits until the replicas include it', async () => {
    const world = await receiving({ [receiveFrom]: 'ms2' }, 1);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.machine('m1').metadata.annotations).toMatchObject({ [pending]: '' });
    expect(world.isDeleting('m1') || world.isDeleting('m2')).toBe(false);
    expect(world.machine('m1').spec).toMatchObject({ version: 'v1.31.0' });
  });

  it('gets the content of the template when it is acknowledged', async () => {
    const world = await receiving({ [receiveFrom]: 'ms2', [acknowledged]: 'm1' });
    await world.reconcile(5);
    const { metadata, spec } = world.machine('m1');
    expect(metadata.annotations).not.toHaveProperty(pending);
    expect(metadata.annotations).toMatchObject({ [inProgress]: '', [pendingHooks]: 'UpdateMachine' });
    expect(spec).toMatchObject({ version: 'v1.32.0', failureDomain: 'fd1' });
    for (const ref of [refs.infra('m1'), refs.config('m1')]) {
      expect(world.api.read(ref).metadata.annotations).toMatchObject({
        [inProgress]: '',
        'cluster.x-k8s.io/cloned-from-name': expect.any(String),
      });
    }
    expect(world.events()).toContain('Normal SuccessfulStartInPlaceUpdate Machine starting in-place update');
    expect(world.status('upToDateReplicas')).toBe(1);
    await world.settle();
  });

  it('is surplus when no MachineSet hands Machines over any more', async () => {
    const world = await receiving({}, 1);
    await world.reconcile(5);
    expect(world.isDeleting('m1')).toBe(true);
  });

  it('is not counted while it is updated', async () => {
    const world = await receiving({});
    await world.reconcile(5);
    for (const field of ['readyReplicas', 'availableReplicas', 'upToDateReplicas']) {
      expect(world.status(field)).toBe(1);
    }
    expect(world.status('replicas')).toBe(2);
  });

  it('is reported if its infrastructure machine cannot be read', async () => {
    const world = await receiving({});
    await world.api.others.delete(refs.infra('m1'));
    expect(await world.reconcile(5)).toContain(
      'failed to trigger in-place update: failed to get InfraMachine ns/m1: foomachines',
    );
  });

  it('is reported if a template is missing', async () => {
    const world = await receiving({});
    await world.api.others.delete({ ...refs.infra('it1'), kind: 'FooMachineTemplate' });
    expect(await world.reconcile(5)).toContain(
      'failed to trigger in-place update: could not compute desired InfraMachine: failed to compute desired InfraMachine: failed to retrieve',
    );
    await world.api.others.delete({ ...refs.config('bt1'), kind: 'FooConfigTemplate' });
    expect(valueAt(world.machine('m1').spec, 'version')).toBe('v1.31.0');
  });
});
