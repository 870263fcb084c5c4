import { describe, expect, it } from 'vitest';
import type { StatusFacts } from '../../../../../functions/machineset/conditions/machine-set-conditions.ts';
import { statusAfter } from '../../../../../functions/machineset/conditions/machine-set-status.ts';
import type { MachineCollectionBuilder } from '../../../../support/builders.ts';
import { fieldsOf, testStart } from '../../../../support/object-builder.ts';
import { aReadyMachine, factsOf, machinesOf, twoReplicas } from './status-of.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';

function resultOf(given: Partial<StatusFacts> = {}, machineSet: MachineCollectionBuilder = twoReplicas) {
  return statusAfter(factsOf(given, machineSet), 2);
}

function countersOf(given: Partial<StatusFacts> = {}, machineSet: MachineCollectionBuilder = twoReplicas) {
  const { replicas, readyReplicas, availableReplicas, upToDateReplicas } = resultOf(given, machineSet).status;
  return [replicas, readyReplicas, availableReplicas, upToDateReplicas];
}

describe('the counters of a MachineSet', () => {
  it.each<{
    readonly machines: StatusFacts['machines'];
    readonly counters: readonly (number | undefined)[];
    readonly reason: string;
  }>([
    { machines: [], counters: [0, 0, 0, 0], reason: 'no Machines' },
    {
      machines: machinesOf(aReadyMachine('m1'), aReadyMachine('m2').deleting()),
      counters: [2, 2, 2, 2],
      reason: 'those in deletion count',
    },
    {
      machines: machinesOf(aReadyMachine('m1'), aReadyMachine('m2').withCondition('Ready', { status: 'False' })),
      counters: [2, 1, 2, 2],
      reason: 'one is not ready',
    },
    {
      machines: machinesOf(aReadyMachine('m1').withCondition('Available', { status: 'Unknown' })),
      counters: [1, 1, 0, 1],
      reason: 'one is not available',
    },
    {
      machines: machinesOf(aReadyMachine('m1').withCondition('UpToDate', { status: 'False' })),
      counters: [1, 1, 1, 0],
      reason: 'one is old',
    },
    {
      machines: machinesOf(
        aReadyMachine('m1').annotated({ [`${inPlace}/update-in-progress`]: '' }),
        aReadyMachine('m2'),
      ),
      counters: [2, 1, 1, 1],
      reason: 'one is updated in place',
    },
    {
      machines: machinesOf(
        aReadyMachine('m1').annotated({ 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' }),
      ),
      counters: [1, 0, 0, 0],
      reason: 'an update in place has started',
    },
  ])('$counters ($reason)', ({ machines, counters }) => {
    expect(countersOf({ machines })).toEqual(counters);
  });

  it('keep their values if the Machines are unknown', () => {
    const stored = twoReplicas.withCounters({
      replicas: 5,
      readyReplicas: 4,
      availableReplicas: 3,
      upToDateReplicas: 2,
    });
    expect(countersOf({ machines: undefined }, stored)).toEqual([5, 4, 3, 2]);
  });

  it('include the versions', () => {
    expect(resultOf().status['versions']).toEqual([{ version: 'v1.31.0', replicas: 2 }]);
  });

  it('remove the versions without Machines', () => {
    const stored = twoReplicas.withStatus({ versions: [{ version: 'v1.31.0', replicas: 2 }] });
    expect(resultOf({ machines: [] }, stored).status['versions']).toBeUndefined();
  });
});

describe('the status of a MachineSet', () => {
  it('has the selector as text, and keeps fields of others', () => {
    const { status, errors } = resultOf({}, twoReplicas.withStatus({ other: 1 }));
    expect(errors).toEqual([]);
    expect(status).toMatchObject({ selector: 'pool=ms1', other: 1, replicas: 2 });
    expect(status['observedGeneration']).toBeUndefined();
  });

  it('has conditions with the generation', () => {
    const list = resultOf().status['conditions'];
    expect(Array.isArray(list) && list.map(item => fieldsOf(item)['observedGeneration'])).toEqual(Array(7).fill(2));
  });

  it('keeps counters and conditions if the selector is not valid', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Odd' }] };
    const stored = twoReplicas.withSpec({ selector }).withCounters({ replicas: 5 }).withCondition('ScalingUp');
    const { status, errors, requeueAfterMs } = resultOf({}, stored);
    expect(errors).toEqual([
      'failed to update status: failed to update status for MachineSet ns/ms1: "Odd" is not a valid label selector operator',
    ]);
    expect(status['replicas']).toBe(5);
    expect(JSON.stringify(status['deprecated'])).toContain('Scaling down MachineSet to 2 replicas (actual 5)');
    expect(status['selector']).toBeUndefined();
    expect(status['conditions']).toEqual(fieldsOf(stored.build().status)['conditions']);
    expect(requeueAfterMs).toBeUndefined();
  });

  it('counts no stored replicas if the selector is not valid and nothing is stored', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Odd' }] };
    const { status } = resultOf({}, twoReplicas.withReplicas(1).withSpec({ selector }));
    expect(JSON.stringify(status['deprecated'])).toContain('Scaling up MachineSet to 1 replicas (actual 0)');
  });

  it('reports that replicas are not set', () => {
    const { errors } = resultOf({}, twoReplicas.withSpec({ replicas: undefined }));
    expect(errors).toEqual([
      'failed to update deprecated v1beta1 status: Cannot update status when MachineSet spec.replicas is not set',
    ]);
  });
});

describe('the timer of the status', () => {
  const patient = (minReadySeconds: number, replicas = 2) =>
    twoReplicas.withReplicas(replicas).withSpec({ template: { spec: { minReadySeconds } } });
  const notAvailable = machinesOf(
    aReadyMachine('m1'),
    aReadyMachine('m2').withCondition('Available', { status: 'False' }),
  );
  it.each([
    { of: patient(30), machines: notAvailable, ms: 30_000, reason: 'all are ready, one is not available yet' },
    { of: patient(0), machines: notAvailable, ms: undefined, reason: 'no time to wait for' },
    { of: patient(30), machines: undefined, ms: undefined, reason: 'unknown Machines' },
    {
      of: patient(30),
      machines: machinesOf(aReadyMachine('m1'), aReadyMachine('m2')),
      ms: undefined,
      reason: 'all are available',
    },
    { of: patient(30, 3), machines: notAvailable, ms: undefined, reason: 'an event reports the third Machine' },
    { of: patient(30).deleting(), machines: notAvailable, ms: undefined, reason: 'in deletion' },
  ])('$ms ($reason)', ({ of, machines, ms }) => {
    expect(resultOf({ machines, now: testStart }, of).requeueAfterMs).toBe(ms);
  });
});
