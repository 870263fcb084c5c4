import { describe, expect, it } from 'vitest';
import type { RolloutPreview } from '../../../../../functions/machinedeployment/preview/rollout-preview.ts';
import { toRolloutLines } from '../../../../../functions/machinedeployment/preview/rollout-text.ts';

const step = {
  changes: [{ set: 'new', from: 0, to: 1 }],
  created: 1,
  deleted: 0,
  updated: 0,
  mostMachines: 1,
  fewestAvailable: 0,
};
const base: RolloutPreview = {
  steps: [step],
  created: 1,
  deleted: 0,
  updated: 0,
  mostMachines: 4,
  fewestAvailable: 3,
  surgeMachines: 1,
  end: 'complete',
};
const limits = '  at most 4 Machines exist, 1 more than 3 replicas; at least 3 stay available';
const two = { ...step, changes: [...step.changes, { set: 'ms1', from: 3, to: 2 }], mostMachines: 4, updated: 1 };

interface Case {
  readonly reason: string;
  readonly preview: Partial<RolloutPreview>;
  readonly blockedBy?: readonly string[];
  readonly lines: readonly string[];
}

const many = (count: number) => Array.from({ length: count }, () => step);
const numbered = (count: number) => many(count).map((_, at) => `  ${at + 1}. new 0 -> 1 (1 Machine, 0 available)`);

const cases: readonly Case[] = [
  { reason: 'nothing changes', preview: { steps: [] }, lines: ['  nothing changes'] },
  {
    reason: 'a user must act first',
    preview: { steps: [], end: 'waits' },
    lines: ['  no Machine is replaced until a user deletes one'],
  },
  {
    reason: 'one Machine is created',
    preview: {},
    lines: ['  creates 1 Machine, in 1 step', limits, ...numbered(1)],
  },
  {
    reason: 'Machines are created, updated and deleted',
    preview: { steps: [step, two], created: 2, updated: 1, deleted: 3 },
    lines: [
      '  creates 2 Machines, updates 1 Machine in place, deletes 3 Machines, in 2 steps',
      limits,
      ...numbered(1),
      '  2. new 0 -> 1, ms1 3 -> 2, 1 Machine updated in place (4 Machines, 0 available)',
    ],
  },
  {
    reason: 'a check blocks',
    preview: { created: 0, deleted: 1 },
    blockedBy: ['control plane is upgrading'],
    lines: [
      '  deletes 1 Machine, in 1 step',
      limits,
      '  new Machines are blocked: control plane is upgrading',
      ...numbered(1),
    ],
  },
  {
    reason: 'all lines are shown',
    preview: { steps: many(20) },
    lines: ['  creates 1 Machine, in 20 steps', limits, ...numbered(20)],
  },
  {
    reason: 'some steps are hidden',
    preview: { steps: many(22) },
    lines: ['  creates 1 Machine, in 22 steps', limits, ...numbered(20), '  2 more steps'],
  },
  {
    reason: 'not all steps are known',
    preview: { steps: many(22), end: 'cut' },
    lines: ['  creates 1 Machine, in 22 steps', limits, ...numbered(20), '  2 more steps, and others after them'],
  },
  {
    reason: 'a user must act at the end',
    preview: { end: 'waits' },
    lines: [
      '  creates 1 Machine, in 1 step',
      limits,
      ...numbered(1),
      '  then no Machine is replaced until a user deletes one',
    ],
  },
];

describe('the text of a previewed rollout', () => {
  it.each(cases)('$reason', ({ preview, blockedBy = [], lines }) => {
    expect(toRolloutLines({ preview: { ...base, ...preview }, replicas: 3, blockedBy })).toEqual(lines);
  });
});
