import { describe, expect, it } from 'vitest';
import {
  inPlaceCandidates,
  planInPlace,
} from '../../../../../functions/machinedeployment/plan/rollout/update-in-place.ts';
import { counts, limitsOf, listOfCounts, newestSet, planned } from './counts.ts';

interface InPlaceCase {
  readonly id: string;
  readonly limits: readonly [number, number, number];
  readonly current: string;
  readonly old: string;
  /** The MachineSets with a template that the current one replaces. */
  readonly eligible: string;
  /** Those of which an extension is asked. */
  readonly asked: string;
  readonly updatable: string;
  readonly isUpdating?: boolean;
  readonly before: string;
  readonly moves: string;
  readonly replicas: string;
  readonly note: string;
}

const cases: readonly InPlaceCase[] = [
  {
    id: 'C1',
    limits: [2, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: '',
    moves: 'ms1',
    replicas: '',
    note: '',
  },
  {
    id: 'C2',
    limits: [3, 0, 0],
    current: '3/3 a3 u0',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: '',
    updatable: '',
    before: '',
    moves: '',
    replicas: '',
    note: '',
  },
  {
    id: 'C3',
    limits: [3, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 0/0 a0 u0',
    eligible: 'ms1',
    asked: '',
    updatable: '',
    before: '',
    moves: '',
    replicas: '',
    note: '',
  },
  {
    id: 'C4',
    limits: [2, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 1/1 a1 u0',
    eligible: '',
    asked: '',
    updatable: '',
    before: '',
    moves: '',
    replicas: '',
    note: '',
  },
  {
    id: 'C5',
    limits: [2, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 1/1 a1 u0',
    eligible: '',
    asked: '',
    updatable: '',
    before: '',
    moves: '',
    replicas: '',
    note: '',
  },
  {
    id: 'C6',
    limits: [2, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: '',
    before: '',
    moves: '',
    replicas: '',
    note: '',
  },
  {
    id: 'C7',
    limits: [6, 0, 0],
    current: '1/1 a1 u0',
    old: 'ms1 1/1 a1 u0; ms2 1/1 a1 u0; ms3 1/1 a1 u0; ms4 1/1 a1 u0; ms5 1/1 a1 u0',
    eligible: 'ms1 ms2 ms5',
    asked: 'ms1 ms2 ms5',
    updatable: 'ms1 ms5',
    before: '',
    moves: 'ms1, ms5',
    replicas: '',
    note: '',
  },
  {
    id: 'C8',
    limits: [3, 1, 0],
    current: '1/1 a1 u1',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→2',
    moves: 'ms1',
    replicas: '2',
    note: 'surge 1 allowed to create availability for in-place updates',
  },
  {
    id: 'C9',
    limits: [3, 1, 0],
    current: '0/0 a0 u0',
    old: 'ms1 3/3 a3 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→1',
    moves: 'ms1',
    replicas: '1',
    note: 'surge 1 allowed to create availability for in-place updates',
  },
  {
    id: 'C10',
    limits: [3, 3, 0],
    current: '0/0 a0 u0',
    old: 'ms1 3/3 a3 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→3',
    moves: 'ms1',
    replicas: '1',
    note: 'surge 1 allowed to create availability for in-place updates',
  },
  {
    id: 'C11',
    limits: [3, 3, 1],
    current: '0/0 a0 u0',
    old: 'ms1 4/3 a4 u4',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→2',
    moves: 'ms1',
    replicas: '',
    note: 'surge 2 dropped to prioritize in-place updates',
  },
  {
    id: 'C12',
    limits: [3, 3, 1],
    current: '0/0 a0 u0',
    old: 'ms1 3/3 a3 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms1→2, ms2→3',
    moves: 'ms1',
    replicas: '',
    note: 'surge 3 dropped to prioritize in-place updates',
  },
  {
    id: 'C13',
    limits: [6, 3, 1],
    current: '2/3 a2 u2',
    old: 'ms1 3/3 a3 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→6',
    moves: 'ms1',
    replicas: '',
    note: 'surge 3 dropped to prioritize in-place updates',
  },
  {
    id: 'C14',
    limits: [3, 1, 0],
    current: '2/2 a1 u1',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→3',
    moves: 'ms1',
    replicas: '',
    note: 'surge 1 dropped to prioritize in-place updates',
  },
  {
    id: 'C15',
    limits: [3, 3, 0],
    current: '0/0 a0 u0',
    old: 'ms1 3/3 a3 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    isUpdating: true,
    before: 'ms2→3',
    moves: 'ms1',
    replicas: '',
    note: 'surge 3 dropped to prioritize in-place updates',
  },
  {
    id: 'C16',
    limits: [3, 1, 0],
    current: '2/2 a1 u2',
    old: 'ms1 1/1 a1 u0',
    eligible: 'ms1',
    asked: 'ms1',
    updatable: 'ms1',
    before: 'ms2→3',
    moves: 'ms1',
    replicas: '',
    note: 'surge 1 dropped to prioritize in-place updates',
  },
];

const names = (text: string): readonly string[] => text.split(' ').filter(name => name !== '');

describe('updates in place', () => {
  it.each(cases)('$id: $current beside $old moves $moves', each => {
    const old = listOfCounts(each.old);
    const current = newestSet(each.current, each.old);
    const sets = { limits: limitsOf(each.limits), current, old };
    const asked = inPlaceCandidates(sets).filter(({ name }) => names(each.eligible).includes(name));
    expect(asked.map(({ name }) => name)).toEqual(names(each.asked));
    const plan = planInPlace(planned(each.before), {
      ...sets,
      updatable: new Set(names(each.updatable)),
      isUpdating: each.isUpdating ?? false,
    });
    expect(plan.moves.join(', ')).toBe(each.moves);
    expect(String(plan.replicas.get(current.name) ?? '')).toBe(each.replicas);
    expect(plan.notes.get(current.name) ?? []).toEqual(each.note === '' ? [] : [each.note]);
  });

  it('are noted for each MachineSet that hands Machines over', () => {
    const sets = { limits: limitsOf([6, 0, 1]), current: counts('ms3 0/0'), old: listOfCounts('ms2 3/3; ms1 3/3') };
    const plan = planInPlace(planned(''), { ...sets, updatable: new Set(['ms1', 'ms2']), isUpdating: false });
    const note = 'should scale down by moving Machines to MachineSet ms3';
    expect(plan.moves).toEqual(['ms1', 'ms2']);
    expect(Object.fromEntries(plan.notes)).toEqual({ ms1: [note], ms2: [note] });
  });

  it.each([
    { current: '1/1 a1 u1', old: 'ms1 3/3 a3', replicas: 2, reason: 'nothing else changes availability' },
    { current: '2/1 a1 u1', old: 'ms1 3/3 a3', replicas: undefined, reason: 'the current MachineSet is creating' },
    { current: '1/1 a1 u0', old: 'ms1 3/3 a3', replicas: undefined, reason: 'a Machine is not up to date' },
    { current: '1/1 a0 u1', old: 'ms1 3/3 a3', replicas: undefined, reason: 'a Machine is not available' },
    { current: '1/1 a1 u1', old: 'ms1 3/2 a3', replicas: undefined, reason: 'an old MachineSet deletes' },
    { current: '1/1 a1 u1', old: 'ms1 2/3 a2', replicas: 2, reason: 'an old MachineSet creates' },
  ])('use the surge only if $reason', ({ current, old, replicas }) => {
    const sets = { limits: limitsOf([3, 2, 0]), current: newestSet(current, old), old: listOfCounts(old) };
    const inPlace = { ...sets, updatable: new Set(['ms1']), isUpdating: false };
    expect(planInPlace(planned('ms2→3'), inPlace).replicas.get('ms2')).toBe(replicas);
  });

  it('ask for nothing if the current MachineSet has all replicas', () => {
    expect(
      inPlaceCandidates({ limits: limitsOf([3, 1, 0]), current: counts('ms2 3/3'), old: [counts('ms1 1/1')] }),
    ).toEqual([]);
  });

  it('change nothing if no MachineSet can be updated', () => {
    const sets = { limits: limitsOf([3, 1, 0]), current: counts('ms2 1/1 a1 u1'), old: [counts('ms1 3/3')] };
    const plan = planned('ms2→2');
    expect(planInPlace(plan, { ...sets, updatable: new Set(), isUpdating: true })).toEqual(plan);
  });

  it('keep what is needed without surge', () => {
    const sets = { limits: limitsOf([12, 3, 1]), current: counts('ms2 3/3 a3 u3'), old: listOfCounts('ms1 3/3 a3') };
    const inPlace = { ...sets, updatable: new Set(['ms1']), isUpdating: false };
    const plan = planInPlace(planned('ms2→12'), inPlace);
    expect(plan.replicas.get('ms2')).toBe(9);
    expect(plan.notes.get('ms2')).toEqual(['surge 3 dropped to prioritize in-place updates']);
  });
});
