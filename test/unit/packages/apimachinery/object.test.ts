import { describe, expect, it } from 'vitest';
import { groupOf, toApiVersion, toDisplayName, toRef, versionOf } from '../../../../packages/apimachinery/object.ts';

describe('an apiVersion', () => {
  it.each([
    { apiVersion: 'v1', group: '', version: 'v1', reason: 'the core group has no name' },
    { apiVersion: 'apps/v1', group: 'apps', version: 'v1', reason: 'any other group comes first' },
  ])('consists of group and version: $reason', ({ apiVersion, group, version }) => {
    expect(toApiVersion({ group, version })).toBe(apiVersion);
    expect([groupOf(apiVersion), versionOf(apiVersion)]).toEqual([group, version]);
  });
});

describe('an object in messages', () => {
  it.each([
    { of: { namespace: 'n', name: 'a' }, text: 'n/a', reason: 'a namespaced one' },
    { of: { namespace: '', name: 'a' }, text: 'a', reason: 'a cluster-scoped one with an empty namespace' },
    { of: { name: 'a' }, text: 'a', reason: 'a cluster-scoped one' },
  ])('is $text: $reason', ({ of, text }) => {
    expect(toDisplayName(of)).toBe(text);
  });
});

describe('the reference to an object', () => {
  it.each([{ namespace: 'n' }, {}])('names it with its namespace, where it has one: %j', where => {
    const metadata = { name: 'a', uid: 'u', resourceVersion: '1', ...where };
    expect(toRef({ apiVersion: 'v1', kind: 'Secret', metadata })).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'a',
      ...where,
    });
  });
});
