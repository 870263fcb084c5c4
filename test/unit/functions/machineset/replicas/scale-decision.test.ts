import { describe, expect, it } from 'vitest';
import { inDeletionOrder } from '../../../../../functions/machineset/phases/replicas/replicas-phase.ts';
import {
  chooseDeleted,
  chooseMoves,
  decideScale,
} from '../../../../../functions/machineset/phases/replicas/scale-decision.ts';
import { listOfFacts, namesOf, testNow } from './facts.ts';

describe('a MachineSet', () => {
  it.each([
    { replicas: 2, machines: 'a, b', decision: { do: 'nothing' }, reason: 'the number is right' },
    { replicas: 3, machines: 'a', decision: { do: 'create', count: 2 }, reason: 'Machines are missing' },
    { replicas: 2, machines: 'a, b deleting', decision: { do: 'nothing' }, reason: 'a Machine in deletion counts' },
    { replicas: 3, machines: 'a', mayCreate: false, decision: { do: 'nothing' }, reason: 'it must not create' },
    { replicas: 1, machines: 'a, b, c', decision: { do: 'delete', count: 2 }, reason: 'Machines are too many' },
    {
      replicas: 0,
      machines: 'a',
      mayCreate: false,
      decision: { do: 'delete', count: 1 },
      reason: 'it may always delete',
    },
    {
      replicas: 1,
      machines: 'a, b, c',
      movesTo: 'ms2',
      decision: { do: 'move', count: 2, target: 'ms2' },
      reason: 'another MachineSet takes them',
    },
    {
      replicas: 1,
      machines: 'a waiting, b',
      receives: true,
      decision: { do: 'nothing' },
      reason: 'one is not counted',
    },
    {
      replicas: 1,
      machines: 'a waiting, b waiting',
      receives: true,
      decision: { do: 'nothing' },
      reason: 'fewer than 0',
    },
    {
      replicas: 0,
      machines: 'a waiting, b',
      receives: true,
      decision: { do: 'delete', count: 1 },
      reason: 'the other one is too many',
    },
    {
      replicas: 1,
      machines: 'a waiting, b',
      decision: { do: 'delete', count: 1 },
      reason: 'no other MachineSet hands Machines over any more',
    },
  ])('with $replicas replicas and $machines: $reason', each => {
    const { replicas, machines, mayCreate = true, movesTo = '', receives = false, decision } = each;
    expect(decideScale({ replicas, machines: listOfFacts(machines), mayCreate, movesTo, receives })).toEqual(decision);
  });
});

const ordered = (machines: string, order: string) => {
  const found = inDeletionOrder(listOfFacts(machines), order, testNow);
  return found.ok ? found.value : [];
};
const four = 'm1 age=4, m2 age=3, m3 age=2, m4 age=1';

describe('deleted Machines', () => {
  it.each([
    { machines: four, order: 'Newest', count: 2, deleted: 'm4 m3', reason: 'the newest first' },
    {
      machines: 'm1, m2 deleting, m3, m4 deleting',
      order: 'Newest',
      count: 2,
      deleted: '',
      reason: 'those in deletion are enough',
    },
    {
      machines: 'm1 age=4, m2 age=3, m3 age=2, m4 deleting',
      order: 'Newest',
      count: 2,
      deleted: 'm3',
      reason: 'one in deletion counts',
    },
    {
      machines: 'm1, m2 chosen, m3 updating, m4 noNode',
      order: '',
      count: 3,
      deleted: 'm2 m3 m4',
      reason: 'chosen, then in update, then without Node',
    },
  ])('$count of $machines: $deleted ($reason)', ({ machines, order, count, deleted }) => {
    expect(namesOf(chooseDeleted(ordered(machines, order), count))).toBe(deleted);
  });
});

describe('moved Machines', () => {
  it.each([
    { machines: four, order: 'Newest', moved: 'm4 m3', deleted: '', reason: 'in the order of deletion' },
    { machines: `${four} deleting`, order: 'Newest', moved: 'm3', deleted: '', reason: 'one in deletion counts' },
    {
      machines: 'm1, m2 updating, m3 updating, m4',
      order: '',
      moved: 'm1 m4',
      deleted: '',
      reason: 'those in update stay',
    },
    {
      machines: 'm1 unhealthy remediate, m2 noNode',
      order: '',
      moved: '',
      deleted: 'm1',
      reason: 'an unhealthy one is deleted',
    },
    { machines: 'm1 remediate updating, m2', order: '', moved: 'm2', deleted: 'm1', reason: 'remediation is first' },
    { machines: 'm1 remediate deleting, m2, m3', order: '', moved: 'm2', deleted: '', reason: 'it is being deleted' },
    {
      machines: 'm1 noNode deleting, m2 chosen, m3',
      order: '',
      moved: 'm2',
      deleted: '',
      reason: 'a choice moves too',
    },
  ])('2 of $machines: $moved, and $deleted is deleted ($reason)', ({ machines, order, moved, deleted }) => {
    const chosen = chooseMoves(ordered(machines, order), 2);
    expect(namesOf(chosen.moved)).toBe(moved);
    expect(namesOf(chosen.deleted)).toBe(deleted);
  });
});
