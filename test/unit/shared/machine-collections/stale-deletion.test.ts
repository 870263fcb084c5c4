import { describe, expect, it } from 'vitest';
import { readWholeMachine, type WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { delaysIn } from '../../../../shared/machine-collections/drain-delays.ts';
import {
  deletingMachines,
  deletionCompleted,
  notDeleting,
  staleDeletion,
} from '../../../../shared/machine-collections/stale-deletion.ts';
import { aMachine } from '../../../support/builders.ts';
import { testStart, timestamp } from '../../../support/object-builder.ts';

const minute = 60_000;
const budget = "cannot evict pod as it would violate the pod's disruption budget.";

interface Deletion {
  readonly name: string;
  /** Minutes since the deletion began. Absent: not in deletion. */
  readonly deleted?: number;
  readonly draining?: number;
  readonly status?: 'True' | 'False';
  readonly stage?: string;
  readonly message?: string;
}

function machine({
  name,
  deleted,
  draining,
  status = 'True',
  stage = 'DrainingNode',
  message,
}: Deletion): WholeMachine {
  const plain = aMachine().named(name);
  const deleting = deleted === undefined ? plain : plain.deleting(testStart - deleted * minute);
  const drained =
    draining === undefined
      ? deleting
      : deleting.withStatus({ deletion: { nodeDrainStartTime: timestamp(testStart - draining * minute) } });
  const made = message === undefined ? drained : drained.withCondition('Deleting', { status, reason: stage, message });
  return readWholeMachine(made.build());
}

const since = 'in deletion since more than 15m';
const slow = { name: 'm1', deleted: 20, draining: 6, message: budget };

describe('the line about slow deletions', () => {
  it.each<{ readonly machines: readonly Deletion[]; readonly line: string; readonly reason: string }>([
    { machines: [], line: '', reason: 'no Machines' },
    { machines: [{ name: 'm1' }], line: '', reason: 'not in deletion' },
    { machines: [{ name: 'm1', deleted: 15 }], line: '', reason: 'not yet' },
    { machines: [{ name: 'm1', deleted: 16 }, { name: 'm2' }], line: `\n* Machine m1 is ${since}`, reason: 'one' },
    {
      machines: ['m4', 'm2', 'm3', 'm1'].map(name => ({ name, deleted: 16 })),
      line: `\n* Machines m1, m2, m3, ... (1 more) are ${since}`,
      reason: 'four',
    },
    {
      machines: [slow],
      line: `\n* Machine m1 is ${since}, delay likely due to PodDisruptionBudgets`,
      reason: 'a drain',
    },
    { machines: [{ ...slow, draining: 5 }], line: `\n* Machine m1 is ${since}`, reason: 'a new drain' },
    { machines: [{ ...slow, status: 'False' }], line: `\n* Machine m1 is ${since}`, reason: 'not deleting' },
    { machines: [{ ...slow, stage: 'Waiting' }], line: `\n* Machine m1 is ${since}`, reason: 'another stage' },
    {
      machines: [
        { ...slow, message: 'Drain\n* waiting for completion' },
        { ...slow, name: 'm2' },
      ],
      line: `\n* Machines m1, m2 are ${since}, delay likely due to PodDisruptionBudgets, Pods not completed yet`,
      reason: 'reasons of several Machines in fixed order',
    },
    {
      machines: [
        { name: 'm1', deleted: 16 },
        { ...slow, name: 'm2', deleted: 14 },
      ],
      line: `\n* Machine m1 is ${since}`,
      reason: 'only slow deletions have reasons',
    },
  ])('$reason', ({ machines, line }) => {
    expect(staleDeletion(machines.map(machine), testStart)).toBe(line);
  });
});

describe('the likely reasons of a slow drain', () => {
  it.each([
    { messages: [], is: [], reason: 'nothing' },
    { messages: ['x'], is: [], reason: 'unknown' },
    {
      messages: [
        'waiting for completion, failed to evict Pod',
        `deletionTimestamp set, but still not removed from the Node ${budget}`,
      ],
      is: ['PodDisruptionBudgets', 'Pods not terminating', 'Pod eviction errors', 'Pods not completed yet'],
      reason: 'all',
    },
  ])('$reason', ({ messages, is }) => {
    expect(delaysIn(...messages)).toEqual(is);
  });
});

describe('the condition Deleting', () => {
  it.each([
    { is: notDeleting, status: 'False', reason: 'NotDeleting', message: '' },
    { is: deletionCompleted, status: 'True', reason: 'Deleting', message: 'Deletion completed' },
    {
      is: deletingMachines([machine({ name: 'm1' })], testStart),
      status: 'True',
      reason: 'Deleting',
      message: 'Deleting 1 Machine',
    },
    {
      is: deletingMachines([machine({ name: 'm1', deleted: 16 }), machine({ name: 'm2' })], testStart),
      ...{ status: 'True', reason: 'Deleting' },
      message: `Deleting 2 Machines\n* Machine m1 is ${since}`,
    },
  ])('$message', ({ is, ...expected }) => {
    expect(is).toEqual({ type: 'Deleting', ...expected });
  });
});
