import { expect, it } from 'vitest';
import { acknowledgeMoves } from '../../../../../functions/machinedeployment/plan/rollout/acknowledge-moves.ts';
import { counts, limitsOf, listOfCounts } from './counts.ts';

it.each([
  { pending: [], acknowledged: [], replicas: 1, annotation: undefined, reason: 'no Machine' },
  { pending: [], acknowledged: ['m1'], replicas: 1, annotation: undefined, reason: 'all have started' },
  { pending: ['m2', 'm1'], acknowledged: [], replicas: 3, annotation: 'm1,m2', reason: 'new Machines' },
  { pending: ['m1'], acknowledged: ['m1'], replicas: 1, annotation: 'm1', reason: 'a Machine is counted once' },
  { pending: ['m1', 'm2'], acknowledged: ['m1'], replicas: 2, annotation: 'm1,m2', reason: 'a second Machine' },
  { pending: ['m2'], acknowledged: ['m1'], replicas: 2, annotation: 'm2', reason: 'the first has started' },
])('$pending beside $acknowledged gives $replicas replicas ($reason)', each => {
  const { pending, acknowledged, replicas, annotation } = each;
  const sets = { limits: limitsOf([5, 1, 0]), current: counts('ms2 3/1 a1'), old: listOfCounts('ms1 2/2') };
  const isNew = pending.some(name => !acknowledged.includes(name));
  const note = isNew ? `acknowledge Machines ${annotation} moved from an old MachineSet` : undefined;
  expect(acknowledgeMoves({ ...sets, pending, acknowledged })).toEqual({ replicas, annotation, note });
});

it.each([
  { limits: [4, 0, 1], current: '1/1', old: 'ms1 3/3', replicas: 1, reason: 'no other Machine is allowed' },
  { limits: [4, 1, 0], current: '1/1', old: 'ms1 3/3', replicas: 2, reason: 'the surge allows it' },
  { limits: [4, 0, 1], current: '2/1', old: 'ms1 3/3', replicas: 2, reason: 'the Machine exists in addition' },
  { limits: [4, 0, 1], current: '1/1', old: 'ms1 2/2', replicas: 2, reason: 'an old Machine has disappeared' },
  { limits: [4, 0, 1], current: '1/1', old: 'ms1 3/2', replicas: 1, reason: 'an old Machine still exists' },
] as const)('a moved Machine of $current beside $old gives $replicas replicas: $reason', each => {
  const sets = { limits: limitsOf(each.limits), current: counts(`ms2 ${each.current}`), old: listOfCounts(each.old) };
  expect(acknowledgeMoves({ ...sets, pending: ['m1'], acknowledged: [] }).replicas).toBe(each.replicas);
});
