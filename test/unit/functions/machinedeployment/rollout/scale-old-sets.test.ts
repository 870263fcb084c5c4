import { describe, expect, it } from 'vitest';
import { scaleOldSets } from '../../../../../functions/machinedeployment/plan/rollout/scale-old-sets.ts';
import { changesOf, counts, limitsOf, listOfCounts, newestSet, planned, planText } from './counts.ts';

describe('old MachineSets', () => {
  it.each([
    { id: 'A1', limits: [10, 1, 0], current: '10/10 a10', old: 'ms1 0/0 a0', before: '', added: '' },
    { id: 'A2', limits: [3, 1, 0], current: '1/1 a1', old: 'ms1 2/2 a2', before: '', added: '' },
    { id: 'A3', limits: [3, 1, 0], current: '1/1 a1', old: 'ms1 2/2 a1', before: '', added: '' },
    { id: 'A4', limits: [3, 1, 0], current: '1/1 a1', old: 'ms1 3/2 a3', before: '', added: '' },
    { id: 'A5', limits: [6, 3, 1], current: '0/3 a0', old: 'ms1 3/2 a3; ms2 3/3 a3', before: '', added: '' },
    { id: 'A6', limits: [3, 1, 0], current: '1/1 a0', old: 'ms1 3/3 a0', before: '', added: '' },
    { id: 'A7', limits: [3, 0, 1], current: '1/1 a0', old: 'ms1 2/2 a0', before: '', added: '' },
    { id: 'A8', limits: [3, 1, 0], current: '2/2 a2', old: 'ms1 2/2 a2', before: 'ms2→1', added: '' },
    { id: 'A9', limits: [3, 1, 0], current: '2/2 a2', old: 'ms1 2/2 a2', before: 'ms1→1', added: '' },
    { id: 'A10', limits: [3, 1, 0], current: '1/1 a0', old: 'ms1 3/3 a3', before: '', added: '' },
    { id: 'A11', limits: [3, 1, 0], current: '1/1 a1', old: 'ms1 3/3 a2', before: '', added: '' },
    { id: 'A12', limits: [3, 1, 0], current: '1/1 a1', old: 'ms1 3/3 a3', before: '', added: 'ms1→2' },
    {
      id: 'A13',
      limits: [3, 1, 0],
      current: '1/1 a1',
      old: 'ms1 2/2 a2; ms2 1/1 a0; ms3 2/2 a0',
      before: '',
      added: 'ms2→0, ms3→0',
    },
    {
      id: 'A14',
      limits: [3, 1, 0],
      current: '1/1 a1',
      old: 'ms1 3/3 a3; ms2 1/1 a0; ms3 2/2 a0',
      before: '',
      added: 'ms1→2, ms2→0, ms3→0',
    },
    {
      id: 'A15',
      limits: [3, 1, 0],
      current: '1/1 a1',
      old: 'ms1 3/4 a3; ms2 1/2 a0; ms3 2/5 a0',
      before: '',
      added: 'ms1→2, ms2→0, ms3→0',
    },
    {
      id: 'A16',
      limits: [3, 1, 0],
      current: '1/1 a1',
      old: 'ms1 1/1 a1; ms2 1/1 a0; ms3 2/2 a1',
      before: '',
      added: 'ms2→0',
    },
    {
      id: 'A17',
      limits: [3, 1, 0],
      current: '1/1 a1',
      old: 'ms1 1/2 a1; ms2 1/3 a0; ms3 2/3 a1',
      before: '',
      added: 'ms1→1, ms2→0, ms3→2',
    },
    { id: 'A18', limits: [3, 1, 0], current: '2/2 a2', old: 'ms1 4/3 a4', before: '', added: 'ms1→2' },
    { id: 'A19', limits: [3, 1, 0], current: '2/2 a2', old: 'ms1 3/3 a3', before: 'ms2→1', added: 'ms1→2' },
    { id: 'A20', limits: [3, 1, 0], current: '2/2 a2', old: 'ms1 3/3 a3', before: 'ms1→2', added: 'ms1→1' },
  ] as const)('$id: $current beside $old gives $added', ({ limits, current, old, before, added }) => {
    const sets = { limits: limitsOf(limits), current: newestSet(current, old), old: listOfCounts(old) };
    const plan = planned(before);
    expect(changesOf(plan, scaleOldSets(plan, sets).plan)).toBe(added);
  });

  it.each([
    { older: 2, younger: 1, order: 'ms2, ms1', reason: 'the older one is first' },
    { older: 1, younger: 1, order: 'ms1, ms2', reason: 'of the same age, the name decides' },
  ])('are scaled in the order of their age: $reason', ({ older, younger, order }) => {
    const old = [
      { ...counts('ms1 2/2 a2'), createdAt: older },
      { ...counts('ms2 2/2 a2'), createdAt: younger },
    ];
    const scaled = scaleOldSets(planned(''), { limits: limitsOf([5, 0, 1]), current: counts('ms3 1/1 a1'), old });
    expect(scaled.order.map(({ name }) => name).join(', ')).toBe(order);
    expect(planText(scaled.plan)).toBe(`${order.slice(0, 3)}→1`);
  });

  it.each([
    { current: '1/1 a1', old: 'ms2 2/2 a2; ms1 1/1 a0', order: 'ms2, ms1', reason: 'nothing may be removed' },
    { current: '4/4 a4', old: 'ms2 1/1 a1; ms1 0/0 a0', order: 'ms1, ms2', reason: 'one is scaled' },
  ])('keep their order if $reason', ({ current, old, order }) => {
    const sets = { limits: limitsOf([4, 1, 0]), current: newestSet(current, old), old: listOfCounts(old) };
    expect(
      scaleOldSets(planned(''), sets)
        .order.map(({ name }) => name)
        .join(', '),
    ).toBe(order);
  });

  it.each([
    { old: 'ms1 3/3 a3', note: '4 available replicas > 3 minimum available replicas', reason: 'an available Machine' },
    {
      old: 'ms1 3/3 a0',
      note: 'scale down to align to existing Machines or scale down by removing unavailable replicas (and no available replicas exist on the MachineSet)',
      reason: 'unavailable Machines only',
    },
  ])('have a note about $reason', ({ old, note }) => {
    const sets = { limits: limitsOf([3, 1, 0]), current: newestSet('1/1 a1', old), old: listOfCounts(old) };
    expect(scaleOldSets(planned(''), sets).plan.notes).toEqual(new Map([['ms1', [note]]]));
  });

  it.each([
    {
      limits: [5, 3, 3],
      current: '0/0',
      old: 'ms1 4/2 a3; ms2 4/4 a2',
      plan: 'ms2→3',
      reason: 'Machines that another one deletes are not counted',
    },
    {
      limits: [3, 0, 0],
      current: '0/0',
      old: 'ms1 4/2 a4; ms2 2/2 a2; ms3 2/2 a0',
      plan: 'ms3→1',
      reason: 'unavailable Machines are first',
    },
  ] as const)('beside $old: $plan ($reason)', ({ limits, current, old, plan }) => {
    const sets = { limits: limitsOf(limits), current: newestSet(current, old), old: listOfCounts(old) };
    expect(planText(scaleOldSets(planned(''), sets).plan)).toBe(plan);
  });

  it('of many Machines lose only as many as must not be available', () => {
    const sets = {
      limits: limitsOf([20, 0, 10]),
      current: counts('ms2 0/0 a0'),
      old: [counts('ms1 15/20 a12')],
    };
    expect(planText(scaleOldSets(planned(''), sets).plan)).toBe('ms1→13');
  });
});
