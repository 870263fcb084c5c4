import { describe, expect, it } from 'vitest';
import { memberOf, sameJson, toRecord, withoutUndefined } from '../../../../packages/apimachinery/json.ts';
import { applyMergePatch } from '../../../../packages/apimachinery/json-patch/merge-patch.ts';
import { mergeDeep, mergeDiff } from '../../../../packages/apimachinery/merge-diff.ts';

/** Own members with names that every JavaScript object inherits. */
const awkward: Readonly<Record<string, unknown>> = JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":"t"}');

describe('JSON values', () => {
  it.each([
    { reason: 'order does not count', left: { a: 1, b: 2 }, right: { b: 2, a: 1 }, same: true },
    { reason: 'undefined is absent', left: { a: 1, b: undefined }, right: { a: 1 }, same: true },
    { reason: 'absent is undefined', left: { a: 1 }, right: { a: 1, b: undefined }, same: true },
    { reason: 'lists count in order', left: [1, 2], right: [2, 1], same: false },
    { reason: 'lists of different length', left: [1], right: [1, 2], same: false },
    { reason: 'a list is not an object', left: [], right: {}, same: false },
    { reason: 'null is not an object', left: null, right: {}, same: false },
    { reason: 'a member more', left: {}, right: { a: 1 }, same: false },
    { reason: 'a member less', left: { a: 1 }, right: {}, same: false },
    { reason: 'awkward names are names', left: {}, right: awkward, same: false },
    { reason: 'and on the other side', left: awkward, right: {}, same: false },
    { reason: 'and are the same as themselves', left: awkward, right: structuredClone(awkward), same: true },
  ])('are the same or not: $reason', ({ left, right, same }) => {
    expect(sameJson(left, right)).toBe(same);
  });

  it.each(['__proto__', 'constructor', 'toString'])('have no member that they only inherit: %s', name => {
    expect(memberOf({}, name)).toBeUndefined();
    expect(memberOf(awkward, name)).toBeDefined();
    expect(sameJson({}, { [name]: 'x' })).toBe(false);
  });

  it('are compared, patched and merged with any member names', () => {
    const patch = mergeDiff({}, awkward) ?? {};
    expect(Object.keys(patch)).toEqual(Object.keys(awkward));
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe(JSON.stringify(awkward));
    const removal = mergeDiff(awkward, {}) ?? {};
    expect(Object.keys(removal)).toEqual(Object.keys(awkward));
    expect(applyMergePatch(awkward, removal)).toEqual({});
    expect(JSON.stringify(mergeDeep({}, awkward))).toBe(JSON.stringify(awkward));
    expect(Object.getPrototypeOf(applyMergePatch({}, awkward))).toBe(Object.prototype);
  });
});

describe('a record', () => {
  it.each([
    { raw: { a: 1 }, record: { a: 1 }, reason: 'an object has its members' },
    { raw: [1], record: {}, reason: 'a list counts as empty' },
    { raw: null, record: {}, reason: 'so does null' },
    { raw: 'a', record: {}, reason: 'and a text' },
  ])('is formatted for any value: $reason', ({ raw, record }) => {
    expect(toRecord(raw)).toEqual(record);
  });
});

it('returns the fields of an object that have a value, also an empty one', () => {
  const fields = { a: 1, b: undefined, c: '', d: null, e: false };
  expect(Object.entries(withoutUndefined(fields))).toEqual([
    ['a', 1],
    ['c', ''],
    ['d', null],
    ['e', false],
  ]);
});
