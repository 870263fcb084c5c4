import { describe, expect, it } from 'vitest';
import { leaf } from '../../../../../../packages/apiserver/core/apply/field-set.ts';
import {
  capped,
  entryOf,
  inOrder,
  type ManagedEntry,
  readSentEntries,
  sameButTimes,
} from '../../../../../../packages/apiserver/core/apply/managed-fields.ts';

function entry(manager: string, more: Partial<ManagedEntry> = {}): ManagedEntry {
  const base = entryOf({ apiVersion: 'g/v1', manager, operation: 'Update', subresource: '' }, { 'f:a': leaf });
  return { ...base, time: '2030-01-01T00:00:00Z', ...more };
}

describe('the order of entries', () => {
  it('is applied first, then by time, manager, version and subresource', () => {
    const { time: _, ...timeless } = entry('z', { operation: 'Apply' });
    const ordered = [
      timeless,
      entry('a', { operation: 'Apply', time: '2031-01-01T00:00:00Z' }),
      entry('a', { apiVersion: 'g/v1' }),
      entry('a', { apiVersion: 'g/v1', subresource: 'status' }),
      entry('a', { apiVersion: 'g/v2' }),
      entry('b'),
      entry('a', { time: '2030-01-01T00:00:01Z' }),
    ];
    expect(inOrder([...ordered].reverse())).toEqual(ordered);
  });
});

describe('entries of updates beyond ten', () => {
  it('are merged with others of their version only', () => {
    const old = entry('old', { apiVersion: 'g/v0', time: '2029-01-01T00:00:00Z' });
    const others = Array.from({ length: 10 }, (_, index) => entry(`u${index}`, { fieldsV1: { [`f:${index}`]: leaf } }));
    const left = capped([old, ...others]);
    expect(left).toHaveLength(10);
    expect(left).toContain(old);
    expect(left.find(({ manager }) => manager === 'ancient-changes')).toMatchObject({
      apiVersion: 'g/v1',
      fieldsV1: { 'f:0': {}, 'f:1': {} },
    });
  });

  it('are kept when each has its own version', () => {
    const entries = Array.from({ length: 11 }, (_, index) => entry('u', { apiVersion: `g/v${index}` }));
    expect(new Set(capped(entries))).toEqual(new Set(entries));
  });
});

describe('two lists of entries', () => {
  it.each([
    { reason: 'are the same whatever their times', left: [entry('a')], right: [entry('a', { time: 'x' })], same: true },
    { reason: 'differ by fields', left: [entry('a')], right: [entry('a', { fieldsV1: { 'f:b': leaf } })], same: false },
    { reason: 'differ by writers', left: [entry('a')], right: [entry('b')], same: false },
    {
      reason: 'differ by subresources',
      left: [entry('a')],
      right: [entry('a', { subresource: 'status' })],
      same: false,
    },
    {
      reason: 'differ by the version of an apply',
      left: [entry('a', { operation: 'Apply' })],
      right: [entry('a', { operation: 'Apply', apiVersion: 'g/v2' })],
      same: false,
    },
    { reason: 'differ by length', left: [entry('a')], right: [], same: false },
  ])('$reason', ({ left, right, same }) => {
    expect(sameButTimes(left, right)).toBe(same);
  });
});

describe('an empty list that a client sends', () => {
  it('clears only where kinds are built in', () => {
    expect(readSentEntries([], true)).toBe('clear');
    expect(readSentEntries([], false)).toBe('none');
  });
});
