import { describe, expect, it } from 'vitest';
import {
  chooseCurrentSet,
  isEligibleForInPlace,
  type SetCandidate,
} from '../../../../../functions/machinedeployment/plan/sets/current-set.ts';
import { counts } from '../rollout/counts.ts';

const after = 1000;

/** `x2@900 fit`: MachineSet x with two replicas, created at 900, up to date. */
function candidate(text: string): SetCandidate {
  const [, name = '', spec = '', createdAt = '0', marks = ''] = /^(\w)(\d+)(?:@(\d+))?(.*)$/.exec(text) ?? [];
  return {
    counts: { ...counts(`${name} ${spec}/${spec}`), createdAt: Number(createdAt) },
    isUpToDate: marks.includes('fit'),
    isDeleting: marks.includes('deleting'),
  };
}

describe('the current MachineSet', () => {
  it.each([
    { sets: [], current: undefined, old: '', reason: 'there is none' },
    { sets: ['o0'], current: undefined, old: 'o', eligible: 'o', reason: 'none is up to date' },
    { sets: ['x2 fit', 'y1 fit', 'o3'], current: 'x', old: 'oy', eligible: 'o', reason: 'it has most replicas' },
    { sets: ['y1@2 fit', 'x1@1 fit'], current: 'x', old: 'y', eligible: '', reason: 'it is the oldest' },
    { sets: ['y1 fit', 'x1 fit'], current: 'x', old: 'y', eligible: '', reason: 'the name decides' },
    { sets: ['x3 fit deleting', 'y1 fit'], current: 'y', old: 'x', eligible: '', reason: 'the other is being deleted' },
    { sets: ['o0@999'], time: 1001, current: undefined, old: 'o', eligible: '', reason: 'the only one is too old' },
    { sets: ['o0@1000'], time: 1001, current: undefined, old: 'o', eligible: 'o', reason: 'it has another template' },
    {
      sets: ['x2@1 fit', 'y3@1 fit'],
      time: 999,
      current: 'y',
      old: 'x',
      eligible: '',
      reason: 'the time has not come',
    },
    {
      sets: ['x2@1 fit', 'y3@1 fit'],
      time: 1000,
      current: undefined,
      old: 'yx',
      eligible: '',
      reason: 'both are too old',
    },
    {
      sets: ['x2@1 fit', 'y1@1000 fit'],
      time: 1000,
      current: 'y',
      old: 'x',
      eligible: '',
      reason: 'one is new enough',
    },
  ])('is $current of $sets at $time: $reason', ({ sets, time, current, old, eligible = '' }) => {
    const at = { after: time === undefined ? undefined : after, now: time ?? 5000 };
    const chosen = chooseCurrentSet(sets.map(candidate), at);
    expect(chosen.current?.counts.name).toBe(current);
    expect(chosen.old.map(each => each.counts.name).join('')).toBe(old);
    const inPlace = chosen.old.filter(each => isEligibleForInPlace(each, at));
    expect(inPlace.map(each => each.counts.name).join('')).toBe(eligible);
  });
});
