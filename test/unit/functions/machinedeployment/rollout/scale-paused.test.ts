import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import { scalePaused } from '../../../../../functions/machinedeployment/plan/rollout/scale-paused.ts';
import { counts, listOfCounts, planText } from './counts.ts';

interface PausedCase {
  readonly replicas: number;
  readonly strategy?: string;
  readonly current?: string;
  readonly old?: string;
  readonly plan: string;
  readonly reason: string;
}

const cases: readonly PausedCase[] = [
  { replicas: 5, plan: '', reason: 'no MachineSet' },
  { replicas: 5, current: '0/0', plan: 'ms9→5', reason: 'the current MachineSet if no other has replicas' },
  { replicas: 5, current: '0/0', old: 'ms1 0/0', plan: 'ms9→5', reason: 'the current MachineSet before an old one' },
  {
    replicas: 5,
    old: 'ms1 0/0; ms2 0/0; ms3 0/0',
    plan: 'ms3→5',
    reason: 'the newest old MachineSet without a current one',
  },
  { replicas: 5, current: '3/3', plan: 'ms9→5', reason: 'the only one' },
  { replicas: 5, current: '0/0', old: 'ms1 3/3', plan: 'ms1→5', reason: 'the only one with replicas' },
  { replicas: 3, old: 'ms1 3/3', plan: '', reason: 'the number is right' },
  { replicas: 6, current: '3/3', old: 'ms1 4/4', plan: '', reason: 'the sum is right' },
  { replicas: 10, current: '3/3', old: 'ms1 4/4', plan: 'ms1→8', reason: 'the largest grows' },
  { replicas: 3, current: '3/3 a2', old: 'ms1 4/4', plan: 'ms1→1', reason: 'the largest shrinks' },
  { replicas: 0, current: '3/3', old: 'ms1 4/4', plan: 'ms1→0, ms9→0', reason: 'no replicas' },
  { replicas: 3, current: '3/3', old: 'ms1 2/2; ms2 1/1', plan: 'ms1→0, ms2→0', reason: 'the rollout is complete' },
  { replicas: 3, current: '3/3 a2', old: 'ms1 2/2', plan: 'ms9→2', reason: 'not all Machines are available' },
  { replicas: 3, current: '2/2 a3', old: 'ms1 2/2', plan: '', reason: 'the current MachineSet is too small' },
  { replicas: 1, current: '2/2', old: 'ms1 7/7', plan: 'ms1→0', reason: 'never below 0' },
  { replicas: 4, current: '2/2', old: 'ms1 2/2', plan: 'ms9→3', reason: 'of equal ones, the newest grows' },
  { replicas: 2, current: '2/2 a1', old: 'ms1 2/2', plan: 'ms1→1', reason: 'of equal ones, the oldest shrinks' },
  { replicas: 5, current: '0/3', old: 'ms1 5/0', plan: '', reason: 'Machines in deletion leave no room' },
  { replicas: 5, current: '2/2 a1', old: 'ms1 3/1', plan: 'ms9→3', reason: 'Machines in deletion leave little room' },
  { replicas: 5, current: '3/1', old: '', plan: 'ms9→5', reason: 'own Machines in deletion count once' },
  { replicas: 2, current: '2/4', old: 'ms1 4/0', plan: 'ms9→2', reason: 'fewer are always possible' },
  { replicas: 9, current: '2/2', old: 'ms1 2/2', strategy: 'OnDelete', plan: '', reason: 'a user replaces Machines' },
  { replicas: 9, old: 'ms1 2/2', strategy: 'OnDelete', plan: 'ms1→9', reason: 'one MachineSet is always scaled' },
  {
    replicas: 2,
    current: '2/2',
    old: 'ms1 2/2',
    strategy: 'OnDelete',
    plan: 'ms1→0',
    reason: 'a complete rollout is always cleaned',
  },
];

describe('a paused rollout', () => {
  it.each(cases)('scales $current beside $old to $replicas: $plan ($reason)', each => {
    const { replicas, strategy = 'RollingUpdate', current, old = '', plan } = each;
    const scaled = scalePaused({
      strategy,
      limits: toLimits({ type: strategy, maxSurge: 1, maxUnavailable: 0 }, replicas),
      current: current === undefined ? undefined : counts(`ms9 ${current}`),
      old: listOfCounts(old),
    });
    expect(planText(scaled)).toBe(plan);
    expect([...scaled.notes.values()].flat()).toEqual(
      [...scaled.replicas].map(() => 'scale while the rollout is paused'),
    );
  });

  it('prefers the youngest of equal MachineSets, whatever their names are', () => {
    const old = [
      { ...counts('ms1 2/2'), createdAt: 2 },
      { ...counts('ms2 2/2'), createdAt: 1 },
    ];
    const limits = toLimits({ type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 }, 5);
    const scaled = scalePaused({ strategy: 'RollingUpdate', limits, current: undefined, old });
    expect(planText(scaled)).toBe('ms1→3');
    const idle = old.map(set => ({ ...set, spec: 0, status: 0 }));
    expect(planText(scalePaused({ strategy: 'RollingUpdate', limits, current: undefined, old: idle }))).toBe('ms1→5');
  });
});
