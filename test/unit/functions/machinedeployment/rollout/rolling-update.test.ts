import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import { planRollingUpdate } from '../../../../../functions/machinedeployment/plan/rollout/rolling-update.ts';
import { counts, limitsOf, planText } from './counts.ts';

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
