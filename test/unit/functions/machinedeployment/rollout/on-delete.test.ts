import { describe, expect, it } from 'vitest';
import { planOnDelete } from '../../../../../functions/machinedeployment/plan/rollout/on-delete.ts';
import { counts, limitsOf, listOfCounts, newestSet, planText } from './counts.ts';

const align = 'scale down to align to existing Machines';
const tooMany = 'scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas';

describe('the strategy OnDelete', () => {
  it.each([
    { replicas: 4, current: '0/0', old: 'ms1 3/3; ms2 1/1', plan: '', reason: 'nothing to do' },
    { replicas: 3, current: '0/0', old: 'ms1 2/3; ms2 0/1', plan: 'ms1→2, ms2→0', reason: 'deleted Machines' },
    { replicas: 3, current: '2/2', old: 'ms1 1/1; ms2 2/2', plan: 'ms1→0, ms2→1', reason: 'too many Machines' },
    { replicas: 3, current: '2/2', old: 'ms1 0/1; ms2 2/2', plan: 'ms1→0, ms2→1', reason: 'both' },
    { replicas: 3, current: '1/1', old: 'ms1 3/5', plan: 'ms1→2', reason: 'both in one MachineSet' },
    { replicas: 3, current: '1/1', old: 'ms1 1/1', plan: 'ms3→2', reason: 'a deleted Machine is replaced' },
    { replicas: 3, current: '0/0', old: '', plan: 'ms2→3', reason: 'the first MachineSet' },
    { replicas: 2, current: '3/3', old: 'ms1 0/0', plan: 'ms3→2', reason: 'fewer replicas' },
    {
      replicas: 2,
      current: '1/1',
      old: 'ms1 2/2',
      plan: 'ms1→1',
      reason: 'a Machine of the current MachineSet counts',
    },
    { replicas: 5, current: '1/1', old: 'ms1 1/1', plan: 'ms3→4', reason: 'more replicas' },
    { replicas: 0, current: '1/1', old: 'ms1 1/1', plan: 'ms1→0, ms3→0', reason: 'no replicas' },
    { replicas: 9, current: '5/5', old: 'ms1 3/3; ms2 1/3', plan: 'ms2→1', reason: 'surplus is never negative' },
  ])('$replicas replicas, $current beside $old: $plan ($reason)', ({ replicas, current, old, plan }) => {
    const sets = {
      limits: limitsOf([replicas, 0, 0]),
      current: { ...newestSet(current, old), name: old === '' ? 'ms2' : 'ms3' },
      old: listOfCounts(old),
    };
    expect(planText(planOnDelete(sets))).toBe(plan);
  });

  it('notes both reasons', () => {
    const sets = { limits: limitsOf([3, 0, 0]), current: counts('ms3 1/1'), old: listOfCounts('ms1 3/5') };
    expect(planOnDelete(sets).notes).toEqual(new Map([['ms1', [align, tooMany]]]));
  });

  it('notes why the current MachineSet grows or shrinks', () => {
    const grow = { limits: limitsOf([3, 0, 0]), current: counts('ms2 0/0'), old: listOfCounts('ms1 2/2') };
    expect(planOnDelete(grow).notes.get('ms2')).toEqual(['2 current Machines < 3 MachineDeployment spec.replicas']);
    const shrink = { limits: limitsOf([3, 0, 0]), current: counts('ms2 4/4'), old: [] };
    expect(planOnDelete(shrink).notes.get('ms2')).toEqual([tooMany]);
  });

  it('removes the oldest Machines first', () => {
    const old = [
      { ...counts('ms1 2/2'), createdAt: 2 },
      { ...counts('ms2 2/2'), createdAt: 1 },
    ];
    const plan = planOnDelete({ limits: limitsOf([3, 0, 0]), current: counts('ms3 0/0'), old });
    expect(planText(plan)).toBe('ms2→1');
  });
});
