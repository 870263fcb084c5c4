import { describe, expect, it } from 'vitest';
import {
  deprecatedAvailable,
  deprecatedCounters,
  deprecatedMachineSetReady,
  ownedDeprecatedConditions,
} from '../../../../../functions/machinedeployment/conditions/deployment-conditions.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachineSet } from '../../../../support/builders.ts';
import { testStart, timestamp } from '../../../../support/object-builder.ts';

function aSet(replicas: number, status: number | undefined, v1beta1: Readonly<Record<string, number>>) {
  const counted = status === undefined ? {} : { replicas: status };
  return readWholeMachineSet(
    aMachineSet()
      .withReplicas(replicas)
      .withStatus({ ...counted, deprecated: { v1beta1 } })
      .build(),
  );
}

const zero = { updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 };
const old = aSet(1, 4, { readyReplicas: 1, availableReplicas: 1 });
const current = aSet(3, 2, { readyReplicas: 2, availableReplicas: 1 });
const many = aSet(1, 4, { readyReplicas: 2, availableReplicas: 3 });

describe('the deprecated counters', () => {
  it.each([
    { sets: [], current: undefined, counters: zero, reason: 'all are written without MachineSets' },
    {
      sets: [old, current],
      current,
      counters: { updatedReplicas: 2, readyReplicas: 3, availableReplicas: 2, unavailableReplicas: 2 },
      reason: 'updated ones are those of the current MachineSet',
    },
    {
      sets: [old, many],
      current: undefined,
      counters: { updatedReplicas: 0, readyReplicas: 3, availableReplicas: 4, unavailableReplicas: 0 },
      reason: 'more available than wanted are not fewer than none',
    },
    {
      sets: [aSet(2, undefined, {})],
      current: aSet(2, undefined, {}),
      counters: { ...zero, unavailableReplicas: 2 },
      reason: 'unknown counters are 0',
    },
  ])('$reason', ({ sets, current: chosen, counters }) => {
    expect(deprecatedCounters({ sets, current: chosen })).toEqual(counters);
  });

  it('need a readable number of replicas', () => {
    const unreadable = readWholeMachineSet(aMachineSet().withSpec({ replicas: 'x' }).build());
    expect(deprecatedCounters({ sets: [unreadable], current: undefined })).toEqual(zero);
  });
});

describe('the deprecated condition Available', () => {
  const missing = (needed: number, found: number) => ({
    type: 'Available',
    status: 'False',
    severity: 'Warning',
    reason: 'WaitingForAvailableMachines',
    message: `Minimum availability requires ${needed} replicas, current ${found} available`,
  });
  const isTrue = { type: 'Available', status: 'True' };
  it.each([
    { deprecated: 3, minAvailable: 3, available: 0, condition: isTrue, reason: 'just enough are available' },
    {
      deprecated: 1,
      minAvailable: 3,
      available: 2,
      condition: missing(3, 2),
      reason: 'the message has the other counter',
    },
    { deprecated: 2, minAvailable: 3, available: undefined, condition: missing(3, 0), reason: 'the counter is absent' },
  ])('$reason', ({ deprecated, minAvailable, available, condition }) => {
    const counters = { availableReplicas: deprecated };
    expect(deprecatedAvailable({ counters, minAvailable, availableReplicas: available })).toEqual(condition);
  });
});

describe('the deprecated condition MachineSetReady', () => {
  const waiting = { type: 'MachineSetReady', status: 'False', severity: 'Info', reason: 'WaitingForMachineSet' };
  const ready = { status: 'False', severity: 'Warning', reason: 'R', message: 'm' } as const;

  it('is False without current MachineSet', () => {
    expect(deprecatedMachineSetReady(undefined)).toEqual({ ...waiting, message: 'MachineSet not found' });
  });

  it('waits for the condition of the current MachineSet', () => {
    expect(deprecatedMachineSetReady(readWholeMachineSet(aMachineSet().build()))).toEqual(waiting);
  });

  it('is the condition Ready of the current MachineSet', () => {
    const set = readWholeMachineSet(aMachineSet().withV1Beta1Condition('Ready', ready).build());
    const lastTransitionTime = timestamp(testStart);
    expect(deprecatedMachineSetReady(set)).toEqual({ type: 'MachineSetReady', ...ready, lastTransitionTime });
  });
});

it('owns all deprecated conditions that it writes', () => {
  expect(ownedDeprecatedConditions).toEqual(['Ready', 'Available', 'MachineSetReady']);
});
