import { describe, expect, it } from 'vitest';
import { type RolloutLimits, toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import {
  mostSteps,
  type PreviewedRollout,
  previewRollout,
} from '../../../../../functions/machinedeployment/preview/rollout-preview.ts';
import { counts, listOfCounts } from '../rollout/counts.ts';

interface Case {
  readonly reason: string;
  readonly strategy?: string;
  /** Replicas, surge and unavailable Machines. */
  readonly limits?: readonly [number, unknown, unknown];
  readonly current?: string;
  readonly old: string;
  readonly updatable?: string;
  /** The scaled sets of each step, with created, deleted, updated, most existing and fewest available Machines. */
  readonly steps: readonly string[];
  readonly sums: string;
}

function rolloutOf(given: Omit<Case, 'steps' | 'sums' | 'reason'>): PreviewedRollout {
  const { strategy = 'RollingUpdate', limits: [replicas, maxSurge, maxUnavailable] = [3, 1, 0] } = given;
  const limits: RolloutLimits = toLimits({ type: strategy, maxSurge, maxUnavailable }, replicas);
  return {
    strategy,
    limits,
    current: counts(given.current ?? 'new 0/0'),
    old: listOfCounts(given.old),
    updatable: new Set(given.updatable?.split(' ')),
  };
}

function textOf(given: Omit<Case, 'steps' | 'sums' | 'reason'>) {
  const preview = previewRollout(rolloutOf(given));
  if (!preview.ok) {
    throw new Error(preview.error);
  }
  const { steps, created, deleted, updated, mostMachines, fewestAvailable, surgeMachines, end } = preview.value;
  return {
    steps: steps.map(step => {
      const changes = step.changes.map(({ set, from, to }) => `${set} ${from}→${to}`).join(', ');
      return `${changes}: +${step.created} -${step.deleted} ~${step.updated} ${step.mostMachines}/${step.fewestAvailable}`;
    }),
    sums: `+${created} -${deleted} ~${updated} ${mostMachines}/${fewestAvailable} surge ${surgeMachines} ${end}`,
  };
}

const cases: readonly Case[] = [
  {
    reason: 'one Machine in surge is created before each deletion',
    old: 'ms1 3/3',
    steps: [
      'new 0→1: +1 -0 ~0 4/3',
      'ms1 3→2: +0 -1 ~0 4/3',
      'new 1→2: +1 -0 ~0 4/3',
      'ms1 2→1: +0 -1 ~0 4/3',
      'new 2→3: +1 -0 ~0 4/3',
      'ms1 1→0: +0 -1 ~0 4/3',
    ],
    sums: '+3 -3 ~0 4/3 surge 1 complete',
  },
  {
    reason: 'without surge each Machine is missing for some time',
    limits: [2, 0, 1],
    old: 'ms1 2/2',
    steps: ['ms1 2→1: +0 -1 ~0 2/1', 'new 0→1: +1 -0 ~0 2/1', 'ms1 1→0: +0 -1 ~0 2/1', 'new 1→2: +1 -0 ~0 2/1'],
    sums: '+2 -2 ~0 2/1 surge 0 complete',
  },
  {
    reason: 'a large surge and unavailability act together',
    limits: [4, 2, 2],
    old: 'ms1 4/4',
    steps: ['new 0→2, ms1 4→2: +2 -2 ~0 6/2', 'new 2→4, ms1 2→0: +2 -2 ~0 6/2'],
    sums: '+4 -4 ~0 6/2 surge 2 complete',
  },
  {
    reason: 'Machines are updated in place after one in surge',
    old: 'ms1 3/3',
    updatable: 'ms1',
    steps: ['new 0→1: +1 -0 ~0 4/3', 'ms1 3→2: +0 -0 ~1 4/3', 'ms1 2→1: +0 -0 ~1 4/3', 'ms1 1→0: +0 -1 ~0 4/3'],
    sums: '+1 -1 ~2 4/3 surge 1 complete',
  },
  {
    reason: 'Machines are updated in place without surge',
    limits: [2, 3, 1],
    old: 'ms1 2/2',
    updatable: 'ms1',
    steps: ['ms1 2→1: +0 -0 ~1 2/1', 'ms1 1→0: +0 -0 ~1 2/1'],
    sums: '+0 -0 ~2 2/1 surge 0 complete',
  },
  {
    reason: 'only one of two MachineSets can be updated in place',
    limits: [2, 0, 1],
    old: 'ms1 1/1; ms2 1/1',
    updatable: 'ms2',
    steps: ['ms1 1→0: +0 -1 ~0 2/1', 'new 0→1: +1 -0 ~0 2/1', 'ms2 1→0: +0 -0 ~1 2/1'],
    sums: '+1 -1 ~1 2/1 surge 0 complete',
  },
  { reason: 'nothing changes', current: 'new 3/3', old: 'ms1 0/0', steps: [], sums: '+0 -0 ~0 3/3 surge 0 complete' },
  {
    reason: 'the replicas grow',
    limits: [3, 1, 0],
    current: 'new 1/1',
    old: '',
    steps: ['new 1→3: +2 -0 ~0 3/1'],
    sums: '+2 -0 ~0 3/1 surge 0 complete',
  },
  {
    reason: 'the replicas shrink',
    limits: [1, 1, 0],
    current: 'new 3/3',
    old: '',
    steps: ['new 3→1: +0 -2 ~0 3/1'],
    sums: '+0 -2 ~0 3/1 surge 2 complete',
  },
  {
    reason: 'OnDelete waits for a user',
    strategy: 'OnDelete',
    old: 'ms1 3/3',
    steps: [],
    sums: '+0 -0 ~0 3/3 surge 0 waits',
  },
  {
    reason: 'OnDelete creates missing Machines, then waits',
    strategy: 'OnDelete',
    old: 'ms1 2/2',
    steps: ['new 0→1: +1 -0 ~0 3/2'],
    sums: '+1 -0 ~0 3/2 surge 0 waits',
  },
  {
    reason: 'Machines that do not exist yet count as created',
    current: 'new 1/3',
    old: '',
    steps: [],
    sums: '+0 -0 ~0 3/3 surge 0 complete',
  },
];

describe('the preview of a rollout', () => {
  it.each(cases)('$reason', ({ steps, sums, reason: _, ...given }) => {
    expect(textOf(given)).toEqual({ steps, sums });
  });

  it('ends after many steps', () => {
    const preview = textOf({ limits: [501, 1, 0], old: 'ms1 501/501' });
    expect(preview.steps).toHaveLength(mostSteps);
    expect(preview.sums).toBe('+500 -500 ~0 502/501 surge 1 cut');
    expect(textOf({ limits: [500, 1, 0], old: 'ms1 500/500' }).sums).toBe('+500 -500 ~0 501/500 surge 1 complete');
  });

  it('fails if the surge is not valid', () => {
    expect(previewRollout(rolloutOf({ limits: [3, '5', 0], old: 'ms1 3/3' }))).toEqual({
      ok: false,
      error: 'invalid value for IntOrString: invalid type: string is not a percentage',
    });
  });
});
