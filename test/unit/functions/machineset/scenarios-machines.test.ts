// Scenarios with Machines: adoption, deletion in order, remediation, metadata, status and the deletion of the MachineSet.

import { isEarlyEnd, noOutcomes } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { observe } from '../../../../functions/machineset/observe.ts';
import { conclude } from '../../../../functions/machineset/phases/pass-progress.ts';
import { plan } from '../../../../functions/machineset/plan.ts';
import { defaultSettings } from '../../../../functions/machineset/settings.ts';
import { fieldsOf } from '../../../support/object-builder.ts';
import {
  aChild,
  aDeployment,
  aMachineOf,
  aSet,
  aWorld,
  type MachineSetWorld,
  machineSpec,
  refs,
  reservedAnnotation,
  selectorLabels,
  setFinalizer,
  setOwner,
} from './set-with-machines.ts';

const lonely = aMachineOf('x').owners();

describe('a Machine without controller', () => {
  it('is adopted if the selector matches', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'], others: [lonely], isFresh: true });
    expect(await world.reconcile()).toBe('again');
    expect(world.takeWrites()[0]).toBe('patch Machine ns/x');
    expect(world.machine('x').metadata.ownerReferences).toEqual([{ ...setOwner, uid: expect.any(String) }]);
    expect(world.events()).toEqual(['Normal SuccessfulAdopt Adopted Machine "x"']);
    expect(world.names('Machine')).toEqual(['m1', 'm2', 'x']);
    await world.reconcile();
    expect(world.isDeleting('m1')).toBe(true);
  });

  it('is not counted if its adoption fails', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'], others: [lonely], isFresh: true });
    world.failing({ verb: 'patch', kind: 'Machine', name: 'x' });
    expect(await world.reconcile()).toBe('done');
    expect(world.events()).toContain('Warning FailedAdopt Failed to adopt Machine "x": boom');
    expect(world.status('replicas')).toBe(2);
  });

  it('is not adopted by a MachineSet in deletion', async () => {
    const world = await aWorld({ set: aSet().deleting(), others: [lonely] });
    expect(await world.reconcile()).toBe('done');
    expect(world.machine('x').metadata.ownerReferences).toBeUndefined();
  });
});

describe('a Machine of another controller', () => {
  it('is ignored', async () => {
    const other = aMachineOf('x').owners({ ...setOwner, name: 'ms2', uid: 'u-ms2' });
    const world = await aWorld({ machines: ['m1', 'm2'], others: [other] });
    expect(await world.reconcile()).toBe('done');
    expect(world.status('replicas')).toBe(2);
    expect(world.takeWrites()).toEqual([]);
  });
});

describe('the selector', () => {
  it('is evaluated with all its operators', async () => {
    const selector = { matchLabels: {}, matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    const world = await aWorld({ set: aSet({ selector }), machines: ['m1', 'm2'] });
    expect(world.status('replicas')).toBe(2);
    expect(world.status('selector')).toBe('a,cluster.x-k8s.io/cluster-name=c1');
  });

  it('must be valid', async () => {
    const selector = { matchLabels: selectorLabels, matchExpressions: [{ key: 'a', operator: 'Other' }] };
    const world = await aWorld({ set: aSet({ selector }) });
    expect(await world.reconcile()).toContain(
      'failed to get and adopt Machines for MachineSet: failed to convert MachineSet "ms1" label selector: "Other" is not a valid label selector operator',
    );
    expect(world.names('Machine')).toEqual([]);
  });
});

describe('a list of Machines that fails', () => {
  it.each([
    { reason: 'creates nothing', set: aSet(), type: 'ScalingUp' },
    { reason: 'does not end the deletion', set: aSet().deleting(), type: 'Deleting' },
  ])('$reason', async ({ set, type }) => {
    const world = await aWorld({ set });
    world.failing({ verb: 'list', kind: 'Machine' });
    expect(await world.reconcile()).toBe(
      'failed to get and adopt Machines for MachineSet: failed to list machines: boom',
    );
    expect(world.condition(type)).toBe('Unknown/InternalError Please check controller logs for errors');
    expect(world.set().metadata.finalizers).toEqual([setFinalizer]);
    expect(world.names('Machine')).toEqual([]);
  });
});

const four = ['m1', 'm2', 'm3', 'm4'];

async function scaled(world: MachineSetWorld, replicas: number, more: object = {}): Promise<void> {
  await world.change(refs.set, { spec: { replicas, ...more } });
  world.takeWrites();
}

describe('surplus Machines', () => {
  it('are deleted in the order of the MachineSet', async () => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four });
    await scaled(world, 2, { deletion: { order: 'Newest' } });
    expect(await world.reconcile()).toBe('done');
    expect(world.deleting()).toEqual(['m3', 'm4']);
    expect(world.events()).toEqual(
      expect.arrayContaining([
        'Normal SuccessfulDelete Deleted Machine "m3"',
        'Normal SuccessfulDelete Deleted Machine "m4"',
      ]),
    );
  });

  it.each([
    { scenario: 32, deleting: ['m2', 'm4'], after: ['m2', 'm4'] },
    { scenario: 33, deleting: ['m4'], after: ['m3', 'm4'] },
  ])('include those in deletion (scenario $scenario)', async ({ deleting, after }) => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four });
    await Promise.all(deleting.map(name => world.api.others.delete(refs.machine(name))));
    await scaled(world, 2, { deletion: { order: 'Newest' } });
    expect(await world.reconcile()).toBe('done');
    expect(world.deleting()).toEqual(after);
  });

  it('are deleted although one cannot be', async () => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four });
    await scaled(world, 2);
    world.failing({ verb: 'delete', kind: 'Machine', name: 'm1' });
    expect(await world.reconcile()).toBe('failed to sync replicas: boom');
    expect(world.deleting()).toEqual(['m2']);
  });

  it('are deleted by priority', async () => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four });
    await world.change(refs.machine('m2'), { metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': '' } } });
    await world.change(refs.machine('m4'), { status: { nodeRef: null } }, 'status');
    await scaled(world, 1);
    expect(await world.reconcile()).toBe('done');
    expect(world.takeWrites().filter(line => line.startsWith('delete'))).toEqual([
      'delete Machine ns/m2',
      'delete Machine ns/m4',
      'delete Machine ns/m1',
    ]);
  });

  it('need a known order', async () => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: four });
    const object = world.set();
    const spec = { ...fieldsOf(object.spec), deletion: { order: 'Old' }, replicas: 2 };
    const seen = await observe({ ...object, spec }, world.api.kubernetes, {
      pass: { now: world.api.clock.now() },
      settings: defaultSettings,
    });
    const planned = 'stop' in seen || isEarlyEnd(seen) ? undefined : plan(seen, () => new Uint8Array());
    expect(planned !== undefined && 'steps' in planned && conclude(planned, noOutcomes).errors).toEqual([
      "failed to sync replicas: Unsupported deletion order Old. Must be one of 'Random', 'Newest', or 'Oldest'",
    ]);
  });

  it('of an old MachineSet are deleted without templates', async () => {
    const before = [aDeployment({}, '2')];
    const world = await aWorld({ before, set: aChild(), templates: [], machines: ['m1', 'm2'] });
    await scaled(world, 1);
    expect(await world.reconcile()).toBe('done');
    expect(world.deleting()).toEqual(['m1']);
    expect(world.condition('ScalingDown')).toBe('True/ScalingDown Scaling down from 2 to 1 replicas');
  });

  it('release the names that are reserved for others', async () => {
    const set = aSet({ replicas: 1 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set, machines: ['m1', 'm2'], isFresh: true });
    await world.reconcile(5);
    expect(world.reserved()).toBeUndefined();
    expect(world.deleting()).toEqual(['m1']);
  });
});

const hcs = 'HealthCheckSucceeded';
const remediated = 'OwnerRemediated';

async function unhealthy(world: MachineSetWorld, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await world.setCondition(name, hcs, 'False');
    await world.setCondition(name, remediated, 'False', 'WaitingForRemediation');
  }
  world.takeWrites();
}

describe('an unhealthy Machine', () => {
  it('is deleted, and reported in this pass', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await unhealthy(world, 'm1');
    expect(await world.reconcile()).toBe('again');
    expect(world.conditionOf('m1', remediated)).toBe('False/MachineDeleting Machine is deleting');
    expect(world.v1beta1Of('m1', remediated)).toBe('True');
    expect(world.condition('Remediating')).toBe('True/Remediating * Machine m1: Machine is deleting');
    expect(world.deleting()).toEqual(['m1']);
    await world.reconcile(5);
    expect(world.names('Machine')).toEqual(['m1', 'm2']);
  });

  it('is kept when it is healthy again', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.setCondition('m1', hcs, 'True');
    await world.setCondition('m1', remediated, 'False');
    await world.reconcile(5);
    expect(world.conditionOf('m1', remediated)).toBeUndefined();
    expect(world.deleting()).toEqual([]);
  });

  it('of an old MachineSet waits for the rollout', async () => {
    const world = await aWorld({ before: [aDeployment({}, '10')], set: aChild({}, '7'), machines: ['m1', 'm2'] });
    await unhealthy(world, 'm1');
    expect(await world.reconcile(5)).toBe('done');
    expect(world.conditionOf('m1', remediated)).toBe(
      "False/CannotBeRemediated Machine won't be remediated because it is pending removal due to rollout",
    );
    expect(world.deleting()).toEqual([]);
  });

  it('waits while too many are remediated', async () => {
    const eight = Array.from({ length: 8 }, (_, at) => `m${at + 1}`);
    const before = [aDeployment({ remediation: { maxInFlight: 3 } })];
    const world = await aWorld({ before, set: aChild({ replicas: 8 }), machines: eight });
    await unhealthy(world, ...eight);
    await world.reconcile();
    expect(world.deleting()).toEqual(['m6', 'm7', 'm8']);
    const text =
      'Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is 3)';
    expect(world.conditionOf('m1', remediated)).toBe(`False/RemediationDeferred ${text}`);
    await world.reconcile(5);
    expect(world.deleting()).toEqual(['m6', 'm7', 'm8']);
  });

  it('that is not marked is reported only', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.setCondition('m1', hcs, 'False');
    await world.setCondition('m2', hcs, 'False');
    await world.reconcile(5);
    expect(world.condition('Remediating')).toBe(
      'False/NotRemediating Machines m1, m2 are not healthy (not to be remediated by MachineSet)',
    );
  });
});

describe('the metadata of the template', () => {
  it('is brought to the Machines and their objects', async () => {
    const labels = { ...selectorLabels, k: 'v' };
    const annotations = { note: 'one' };
    const set = aSet({ template: { metadata: { labels, annotations }, spec: machineSpec } });
    const world = await aWorld({ set, machines: ['m1', 'm2'] });
    expect(world.machine('m1').metadata.labels).toMatchObject({ k: 'v' });
    const spec = {
      template: {
        metadata: { labels: { k: null }, annotations: { note: 'two' } },
        spec: {
          deletion: { nodeDrainTimeoutSeconds: 60 },
          taints: [{ key: 't', effect: 'NoSchedule', propagation: 'Always' }],
        },
      },
    };
    await world.change(refs.set, { spec });
    expect(await world.reconcile(5)).toBe('done');
    for (const object of [world.machine('m1'), world.api.read(refs.infra('m1')), world.api.read(refs.config('m1'))]) {
      expect(object.metadata.labels).not.toHaveProperty('k');
      expect(object.metadata.annotations).toMatchObject({ note: 'two' });
    }
    expect(world.machine('m1').spec).toMatchObject({
      version: 'v1.31.0',
      deletion: { nodeDrainTimeoutSeconds: 60 },
      taints: [{ key: 't' }],
      infrastructureRef: { kind: 'FooMachine', name: 'm1' },
    });
    expect(world.api.read(refs.infra('m1')).spec).toEqual({ size: 1 });
  });

  it('reaches only the fields for the deletion of a Machine in deletion', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.api.others.delete(refs.machine('m2'));
    await world.change(refs.set, {
      spec: { template: { metadata: { labels: { k: 'v' } }, spec: { minReadySeconds: 3 } } },
    });
    world.takeWrites();
    await world.reconcile();
    expect(world.machine('m2').metadata.labels).not.toHaveProperty('k');
    expect(world.machine('m2').spec).toMatchObject({
      minReadySeconds: 3,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    });
  });

  it('waits for the repair of lost managed fields', async () => {
    const world = await aWorld({ set: aSet({ replicas: 2 }), machines: ['m1', 'm2'] });
    await world.change(refs.machine('m1'), { metadata: { managedFields: [{}] } });
    await world.change(refs.set, { spec: { replicas: 1 } });
    world.takeWrites();
    expect(await world.reconcile()).toBe('requeueAfter 1000');
    expect(world.deleting()).toEqual([]);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.deleting()).toEqual(['m1']);
  });

  it('is reported if an infrastructure machine is missing, and Machines are still created', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    await world.api.others.delete(refs.infra('m1'));
    await scaled(world, 3);
    expect(await world.reconcile()).toBe(
      'failed to sync Machines: failed to get InfrastructureMachine FooMachine ns/m1: foomachines.infrastructure.cluster.x-k8s.io "m1" not found',
    );
    expect(world.names('Machine')).toEqual(['m1', 'm2', 'ms1-xxxxx']);
  });
});
