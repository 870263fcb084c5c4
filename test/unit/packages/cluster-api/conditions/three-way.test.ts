import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../../../packages/cluster-api/conditions/condition.ts';
import {
  type Merged,
  mergeConditions,
  mergeV1Beta1Conditions,
} from '../../../../../packages/cluster-api/conditions/three-way.ts';
import { fc } from '../../../../support/property.ts';
import { aCondition, aV1Beta1Condition, now, nowText, t0, t1 } from './builders.ts';

const was = aCondition({ type: 'Ready', status: 'False', reason: 'Was', observedGeneration: 1 });
const wanted = aCondition({ type: 'Ready', status: 'True', reason: 'Wanted', lastTransitionTime: t1 });
const foreign = aCondition({ type: 'Ready', status: 'Unknown', reason: 'Foreign' });
/** The same state as `wanted`, written by another writer. */
const reached = { ...wanted, lastTransitionTime: t0 };

interface Row {
  readonly op: 'Add' | 'Change' | 'Remove';
  readonly owned: boolean;
  readonly latest?: Condition;
  readonly merged: Condition | 'none' | 'conflict';
  readonly reason: string;
}

const rows: readonly Row[] = [
  { op: 'Add', owned: true, merged: wanted, reason: 'owned, absent' },
  { op: 'Add', owned: true, latest: foreign, merged: wanted, reason: 'ours, whatever is there' },
  { op: 'Add', owned: true, latest: reached, merged: reached, reason: 'owned, present: its time is kept' },
  { op: 'Add', owned: false, latest: reached, merged: reached, reason: 'same state is there' },
  { op: 'Add', owned: false, latest: foreign, merged: 'conflict', reason: 'something else is there' },
  { op: 'Add', owned: false, merged: wanted, reason: 'nothing is there' },
  { op: 'Change', owned: true, latest: foreign, merged: wanted, reason: 'ours, whatever is there' },
  { op: 'Change', owned: true, merged: wanted, reason: 'owned: added again after another writer deleted it' },
  { op: 'Change', owned: false, merged: 'conflict', reason: 'deleted by another writer' },
  { op: 'Change', owned: false, latest: was, merged: wanted, reason: 'unchanged since it was read' },
  { op: 'Change', owned: false, latest: reached, merged: reached, reason: 'changed to the same state' },
  { op: 'Change', owned: false, latest: foreign, merged: 'conflict', reason: 'changed to something else' },
  { op: 'Change', owned: false, latest: { ...was, lastTransitionTime: t1 }, merged: 'conflict', reason: 'other time' },
  { op: 'Remove', owned: true, latest: foreign, merged: 'none', reason: 'ours, whatever is there' },
  { op: 'Remove', owned: true, merged: 'none', reason: 'owned, already deleted' },
  { op: 'Remove', owned: false, latest: foreign, merged: 'conflict', reason: 'changed by another writer' },
  { op: 'Remove', owned: false, latest: { ...was, lastTransitionTime: t1 }, merged: 'none', reason: 'same state' },
  { op: 'Remove', owned: false, merged: 'none', reason: 'already deleted' },
];

const before = { Add: [], Change: [was], Remove: [was] };
const after = { Add: [wanted], Change: [wanted], Remove: [] };

function readyOf(merged: Merged<Condition>): Condition | 'none' | 'conflict' {
  return merged.ok ? (merged.value.find(({ type }) => type === 'Ready') ?? 'none') : 'conflict';
}

describe('merging a condition list in memory with the latest list', () => {
  test.each(rows)('$op, owned $owned: $reason', ({ op, owned, latest, merged }) => {
    const lists = {
      before: before[op],
      after: after[op],
      latest: [aCondition({ type: 'Other' }), ...(latest === undefined ? [] : [latest])],
    };
    expect(readyOf(mergeConditions({ ...lists, owned: owned ? ['Ready'] : [] }))).toEqual(merged);
    if (owned) {
      expect(readyOf(mergeConditions({ ...lists, owned: [], force: true }))).toEqual(merged);
    }
  });

  test.each([
    {
      op: 'Add',
      latest: [foreign],
      message:
        'error patching conditions: The condition "Ready" was modified by a different process and this caused a merge/AddCondition conflict: found Unknown/Foreign "", wanted True/Wanted ""',
    },
    {
      op: 'Change',
      latest: [foreign],
      message:
        'error patching conditions: The condition "Ready" was modified by a different process and this caused a merge/ChangeCondition conflict: found Unknown/Foreign "", wanted True/Wanted ""',
    },
    {
      op: 'Change',
      latest: [],
      message:
        'error patching conditions: The condition "Ready" was deleted by a different process and this caused a merge/ChangeCondition conflict',
    },
    {
      op: 'Remove',
      latest: [foreign],
      message:
        'error patching conditions: The condition "Ready" was modified by a different process and this caused a merge/RemoveCondition conflict: found Unknown/Foreign "", wanted none',
    },
  ] as const)('a conflict of $op names the cause', ({ op, latest, message }) => {
    expect(mergeConditions({ before: before[op], after: after[op], latest, owned: [] })).toEqual({
      ok: false,
      error: { type: 'Ready', operation: op, message },
    });
  });

  test('a new time is a change, but sets nothing if the status is the same', () => {
    const latest = [was];
    const lists = { before: [was], after: [{ ...was, lastTransitionTime: t1 }], latest, owned: ['Ready'] };
    expect(mergeConditions(lists)).toEqual({ ok: true, value: latest });
  });

  test('keeps the observedGeneration that was set in memory', () => {
    const lists = { before: [was], after: [{ ...wanted, observedGeneration: 9 }], latest: [was], owned: [] };
    expect(readyOf(mergeConditions(lists))).toMatchObject({ observedGeneration: 9 });
  });

  test('sorts a list that changed and leaves other types as they are now', () => {
    const others = [aCondition({ type: 'Deleting' }), aCondition({ type: 'Available', message: 'new' })];
    const merged = mergeConditions({ before: [], after: [wanted], latest: others, owned: ['Ready'] });
    expect(merged).toEqual({ ok: true, value: [others[1], wanted, others[0]] });
  });

  test('removing sorts, too', () => {
    const others = [aCondition({ type: 'Deleting' }), aCondition({ type: 'Available' })];
    const merged = mergeConditions({ before: [was], after: [], latest: [was, ...others], owned: [] });
    expect(merged).toEqual({ ok: true, value: others.toReversed() });
  });

  test('returns the same list when every operation is already done', () => {
    const latest = [aCondition({ type: 'Deleting' }), reached];
    const merged = mergeConditions({ before: [], after: [wanted], latest, owned: [] });
    expect(merged.ok && merged.value).toBe(latest);
  });
});

describe('the deprecated family', () => {
  const old = aV1Beta1Condition({ type: 'Ready', status: 'False', severity: 'Info', reason: 'Was' });
  const next = { ...old, severity: 'Error', lastTransitionTime: t1 };

  test('sets the time of a changed state to now, and sorts Ready first', () => {
    const latest = [aV1Beta1Condition({ type: 'A' }), old];
    expect(mergeV1Beta1Conditions({ before: [old], after: [next], latest, owned: [] }, now)).toEqual({
      ok: true,
      value: [{ ...next, lastTransitionTime: nowText }, latest[0]],
    });
  });

  test('conflicts where another writer changed only the severity', () => {
    const latest = [{ ...old, severity: 'Warning' }];
    const merged = mergeV1Beta1Conditions({ before: [old], after: [next], latest, owned: [] }, now);
    expect(merged).toMatchObject({ ok: false, error: { type: 'Ready', operation: 'Change' } });
  });

  test('names a condition without reason in a conflict', () => {
    const bare = aV1Beta1Condition({ type: 'Ready' });
    expect(mergeV1Beta1Conditions({ before: [], after: [next], latest: [bare], owned: [] }, now)).toMatchObject({
      error: { message: expect.stringMatching(/found True\/ "", wanted False\/Was ""$/) },
    });
  });
});

const lists = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('Ready', 'Available', 'Paused', 'X', 'Y'),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    reason: fc.constantFrom('R1', 'R2'),
    message: fc.constantFrom('', 'm'),
    lastTransitionTime: fc.constantFrom(t0, t1),
    observedGeneration: fc.nat(3),
  }),
  { selector: ({ type }) => type },
);
const types = fc.subarray(['Ready', 'Available', 'Paused', 'X', 'Y']);

describe('for any lists', () => {
  test('an unchanged list in memory does not change the latest list', () => {
    fc.assert(
      fc.property(lists, lists, types, (list, latest, owned) => {
        const merged = mergeConditions({ before: list, after: structuredClone(list), latest, owned });
        expect(merged.ok && merged.value).toBe(latest);
        const old = mergeV1Beta1Conditions({ before: list, after: structuredClone(list), latest, owned }, now);
        expect(old.ok && old.value).toBe(latest);
      }),
    );
  });

  test('with every type owned there is no conflict, and each state is that in memory or unchanged', () => {
    fc.assert(
      fc.property(lists, lists, lists, (first, second, latest) => {
        const merged = mergeConditions({ before: first, after: second, latest, owned: [], force: true });
        const states = new Map((merged.ok ? merged.value : []).map(({ type, status }) => [type, status]));
        for (const { type, status } of second) {
          const old = first.find(condition => condition.type === type);
          const unchanged = JSON.stringify(old) === JSON.stringify(second.find(condition => condition.type === type));
          expect(states.get(type)).toBe(unchanged ? latest.find(item => item.type === type)?.status : status);
        }
        for (const { type } of first.filter(item => !second.some(other => other.type === item.type))) {
          expect(states.has(type)).toBe(false);
        }
      }),
    );
  });

  test('a second merge onto its own outcome changes nothing', () => {
    fc.assert(
      fc.property(lists, lists, lists, (first, second, latest) => {
        const once = mergeConditions({ before: first, after: second, latest, owned: [], force: true });
        const list = once.ok ? once.value : [];
        const twice = mergeConditions({ before: first, after: second, latest: list, owned: [], force: true });
        expect(twice.ok && twice.value).toBe(list);
      }),
    );
  });
});
