import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import {
  planRollingUpdate,
  resolveDeadlock,
} from '../../../../../functions/machinedeployment/plan/rollout/rolling-update.ts';
import { changesOf, counts, limitsOf, listOfCounts, newestSet, planned, planText } from './counts.ts';

const invalidSurge = toLimits({ type: 'RollingUpdate', maxSurge: '5', maxUnavailable: 0 }, 3);

describe('a rolling update', () => {
  it.each([
    { current: 'ms1 2/2', plan: undefined, reason: 'the surge is needed' },
    { current: 'ms1 3/3', plan: '', reason: 'nothing changes' },
    { current: 'ms1 4/4', plan: 'ms1→3', reason: 'only fewer Machines are needed' },
  ])('reports a surge that is not valid: $reason', ({ current, plan }) => {
    const planned = planRollingUpdate({ limits: invalidSurge, current: counts(current), old: [] });
    expect(planned.ok ? planText(planned.value) : undefined).toBe(plan);
  });

  it('notes how many Machines exist', () => {
    const sets = { limits: limitsOf([3, 1, 0]), current: counts('ms2 0/0'), old: [counts('ms1 2/3')] };
    const planned = planRollingUpdate(sets);
    expect(planned).toMatchObject({ ok: true });
    expect(planned.ok && planned.value.notes.get('ms2')).toEqual([
      '3 current Machines < 3 MachineDeployment spec.replicas + 1 maxSurge',
    ]);
  });
});

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
