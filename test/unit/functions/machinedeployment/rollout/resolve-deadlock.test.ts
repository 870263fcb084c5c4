import { describe, expect, it } from 'vitest';
import { resolveDeadlock } from '../../../../../functions/machinedeployment/plan/rollout/resolve-deadlock.ts';
import { changesOf, listOfCounts, newestSet, planned } from './counts.ts';

describe('a rollout that cannot continue', () => {
  it.each([
    { id: 'B1', current: '10/10 a10', old: 'ms1 0/0 a0', before: '', added: '' },
    { id: 'B2', current: '5/5 a5', old: 'ms1 5/5 a5', before: '', added: '' },
    { id: 'B3', current: '5/6 a5', old: 'ms1 5/5 a4', before: '', added: '' },
    { id: 'B4', current: '5/5 a5', old: 'ms1 5/4 a4', before: '', added: '' },
    { id: 'B5', current: '5/5 a5', old: 'ms1 5/5 a4', before: 'ms2→6', added: '' },
    { id: 'B6', current: '5/5 a5', old: 'ms1 5/5 a4', before: 'ms1→4', added: '' },
    { id: 'B7', current: '5/5 a3', old: 'ms1 5/5 a4', before: '', added: '' },
    { id: 'B8', current: '5/5 a5', old: 'ms1 5/5 a3', before: '', added: 'ms1→4' },
  ])('$id: $current beside $old, $before planned, gives $added', ({ current, old, before, added }) => {
    const plan = planned(before);
    expect(changesOf(plan, resolveDeadlock(plan, newestSet(current, old), listOfCounts(old)))).toBe(added);
  });

  it.each([
    { old: 'ms1 2/2 a2; ms2 2/2 a1; ms3 2/2 a0', added: 'ms2→1', reason: 'the first with an unavailable Machine' },
    { old: 'ms1 2/1 a1', added: '', reason: 'Machines are being deleted' },
    { old: 'ms1 1/2 a0', added: '', reason: 'Machines are being created' },
  ])('loses one Machine of one old MachineSet: $reason', ({ old, added }) => {
    const plan = planned('');
    const resolved = resolveDeadlock(plan, newestSet('2/2 a2', old), listOfCounts(old));
    expect(changesOf(plan, resolved)).toBe(added);
    const note = 'scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS';
    expect([...resolved.notes.values()].flat()).toEqual(added === '' ? [] : [note]);
  });
});
