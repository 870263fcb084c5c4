import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '../../../../../packages/apimachinery/json-patch/merge-patch.ts';
import { nullsInLists } from '../../../../support/null-members.ts';

function merged(document: string, patch: string): string {
  const given = JSON.parse(document);
  const result = applyMergePatch(given, JSON.parse(patch));
  expect(JSON.stringify(given)).toBe(document);
  return JSON.stringify(result);
}

describe('a merge patch', () => {
  it.each([
    { reason: 'adds', document: '{"a":1}', patch: '{"b":2}', result: '{"a":1,"b":2}' },
    { reason: 'replaces', document: '{"a":1}', patch: '{"a":[2]}', result: '{"a":[2]}' },
    { reason: 'removes', document: '{"a":1,"b":2}', patch: '{"a":null}', result: '{"b":2}' },
    { reason: 'removes nothing where nothing is', document: '{"a":1}', patch: '{"b":null}', result: '{"a":1}' },
    {
      reason: 'goes into objects',
      document: '{"a":{"b":1,"c":2}}',
      patch: '{"a":{"b":null,"d":3}}',
      result: '{"a":{"c":2,"d":3}}',
    },
    {
      reason: 'replaces lists whole',
      document: '{"a":[1,2]}',
      patch: '{"a":[3,null]}',
      result: '{"a":[3,null]}',
    },
    ...nullsInLists.map(row => ({
      reason: row.reason,
      document: JSON.stringify(row.document),
      patch: JSON.stringify(row.patch),
      result: JSON.stringify(row.result),
    })),
    {
      reason: 'makes an object of what is none',
      document: '{"a":[1]}',
      patch: '{"a":{"b":{"c":null,"d":1}}}',
      result: '{"a":{"b":{"d":1}}}',
    },
    {
      reason: 'has __proto__ for a plain key',
      document: '{"a":{}}',
      patch: '{"a":{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}}',
      result: '{"a":{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}}',
    },
    {
      reason: 'goes into a plain __proto__',
      document: '{"__proto__":{"a":1}}',
      patch: '{"__proto__":{"b":2}}',
      result: '{"__proto__":{"a":1,"b":2}}',
    },
  ])('$reason', ({ document, patch, result }) => {
    expect(merged(document, patch)).toBe(result);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('ignores undefined members', () => {
    expect(applyMergePatch({ a: 1 }, { a: undefined, b: undefined })).toEqual({ a: 1 });
  });
});
