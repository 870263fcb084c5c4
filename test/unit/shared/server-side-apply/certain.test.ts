import type { Intent, JsonObject, ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { appliesWithoutChange as appliesBy } from '../../../../shared/server-side-apply/certain.ts';

const appliesWithoutChange = (intent: Intent, live: Unstructured) => appliesBy(intent, live, 'capi-topology');

const kind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'GenericMachineTemplate' } as const;

interface Case {
  readonly reason: string;
  readonly wanted: unknown;
  readonly live: unknown;
  readonly owned: unknown;
  /** A managed fields entry of another manager. */
  readonly others?: unknown;
}

function ownEntry(fieldsV1: unknown, change: JsonObject = {}): JsonObject {
  const { apiVersion } = kind;
  return { manager: 'capi-topology', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1, ...change };
}

function liveObject(spec: unknown, managedFields: readonly JsonObject[], more: JsonObject = {}): Unstructured {
  const metadata: ObjectMeta & JsonObject = {
    name: 'm',
    namespace: 'ns1',
    uid: 'u',
    resourceVersion: '7',
    managedFields,
  };
  return { ...kind, metadata: { ...metadata, ...more }, spec };
}

function intentOf(spec: unknown, more: JsonObject = {}): Intent {
  return { ...kind, metadata: { name: 'm', namespace: 'ns1', ...more }, ...(spec === undefined ? {} : { spec }) };
}

/** The owners of the field `spec.x`. */
function judge({ wanted, live, owned, others }: Case) {
  const other = { manager: 'another', operation: 'Update', fieldsV1: { 'f:spec': { 'f:x': others } } };
  const entries = [ownEntry({ 'f:spec': { 'f:x': owned } }), ...(others === undefined ? [] : [other])];
  return appliesWithoutChange(intentOf({ x: wanted }), liveObject({ x: live }, entries));
}

const item = { name: 'a', value: 1 };
const itemOwned = { '.': {}, 'f:name': {}, 'f:value': {} };
const selector = { matchLabels: { a: 'b' } };

const certain: readonly Case[] = [
  { reason: 'a value as it is', wanted: 'v', live: 'v', owned: {} },
  { reason: 'a number with decimals', wanted: 1.5, live: 1.5, owned: {} },
  { reason: 'members in another order', wanted: { a: 1, b: 2 }, live: { b: 2, a: 1 }, owned: { 'f:a': {}, 'f:b': {} } },
  {
    reason: 'a member that is undefined is not sent',
    wanted: { a: 1, b: undefined },
    live: { a: 1 },
    owned: { 'f:a': {} },
  },
  { reason: 'fields of others', wanted: { a: 1 }, live: { a: 1, b: 2 }, owned: { 'f:a': {} }, others: { 'f:b': {} } },
  { reason: 'a default', wanted: { a: 1 }, live: { a: 1, b: 'default' }, owned: { 'f:a': {} } },
  { reason: 'a map whose items are marked', wanted: { a: 1 }, live: { a: 1 }, owned: { '.': {}, 'f:a': {} } },
  { reason: 'an atomic list', wanted: ['a', 'b'], live: ['a', 'b'], owned: {} },
  { reason: 'an atomic list that others own with us', wanted: [{ a: 1 }], live: [{ a: 1 }], owned: {}, others: {} },
  { reason: 'an atomic list that is empty', wanted: [], live: [], owned: {} },
  { reason: 'a selector is atomic', wanted: selector, live: selector, owned: {} },
  { reason: 'a reference is atomic', wanted: { kind: 'K', name: 'n' }, live: { kind: 'K', name: 'n' }, owned: {} },
  ...[
    { matchExpressions: [{ key: 'a', operator: 'Exists' }], matchLabels: {} },
    { apiVersion: 'v1', apiGroup: 'g', namespace: 'ns', uid: 'u', resourceVersion: '1', fieldPath: 'spec' },
    { name: 'n', key: 'k', optional: true },
  ].map(shape => ({ reason: `atomic: ${Object.keys(shape)}`, wanted: shape, live: shape, owned: {} })),
  { reason: 'an empty object', wanted: {}, live: {}, owned: {} },
  { reason: 'an empty object around a list', wanted: {}, live: { a: ['b'] }, owned: {}, others: { 'f:a': {} } },
  { reason: 'an empty object around null', wanted: {}, live: { a: null }, owned: {}, others: { 'f:a': {} } },
  { reason: 'an empty object that others fill', wanted: {}, live: { a: 1 }, owned: {}, others: { 'f:a': {} } },
  { reason: 'items by key', wanted: [item], live: [item], owned: { 'k:{"name":"a"}': itemOwned } },
  {
    reason: 'items of others between ours',
    wanted: [item, { name: 'c', value: 3 }],
    live: [{ name: '0' }, item, { name: 'b', value: 2 }, { name: 'c', value: 3 }],
    owned: { 'k:{"name":"c"}': itemOwned, 'k:{"name":"a"}': itemOwned },
    others: { 'k:{"name":"b"}': itemOwned },
  },
  {
    reason: 'an item that is owned as a whole',
    wanted: [{ uid: 'u', controller: true }],
    live: [{ uid: 'u', controller: true }],
    owned: { 'k:{"uid":"u"}': {} },
  },
  { reason: 'members of a set', wanted: ['a', 'c'], live: ['a', 'b', 'c'], owned: { 'v:"a"': {}, 'v:"c"': {} } },
];

const unknown: readonly Case[] = [
  { reason: 'another value', wanted: 'v', live: 'w', owned: {} },
  { reason: 'a value that is gone', wanted: 'v', live: undefined, owned: {} },
  { reason: 'null has a different meaning in different schemas', wanted: null, live: null, owned: {} },
  { reason: 'numbers that read the same', wanted: 2 ** 60, live: 2 ** 60, owned: {} },
  { reason: 'such numbers inside a list', wanted: [{ a: 2 ** 60 }], live: [{ a: 2 ** 60 }], owned: {} },
  { reason: 'a field that is not ours yet', wanted: { a: 1, b: 2 }, live: { a: 1, b: 2 }, owned: { 'f:a': {} } },
  { reason: 'another one instead', wanted: { b: 1 }, live: { a: 1, b: 1 }, owned: { 'f:a': {} } },
  { reason: 'a field that we gave up', wanted: { a: 1 }, live: { a: 1, b: 2 }, owned: { 'f:a': {}, 'f:b': {} } },
  { reason: 'a value where an object was', wanted: 'v', live: 'v', owned: { 'f:a': {} } },
  { reason: 'an object that is gone', wanted: { a: 1 }, live: 'v', owned: { 'f:a': {} } },
  { reason: 'an inherited name', wanted: { toString: 1 }, live: {}, owned: { 'f:toString': {} } },
  { reason: 'a record that is not an object', wanted: { a: 1 }, live: { a: 1 }, owned: { 'f:a': 'x' } },
  { reason: 'an atomic list in another order', wanted: ['a', 'b'], live: ['b', 'a'], owned: {} },
  {
    reason: 'a list whose items have owners',
    wanted: [item],
    live: [item],
    owned: {},
    others: { 'k:{"name":"a"}': {} },
  },
  { reason: 'a map that may be atomic, or filled with defaults', wanted: { a: 1 }, live: { a: 1 }, owned: {} },
  {
    reason: 'a selector whose parts have owners',
    wanted: selector,
    live: selector,
    owned: {},
    others: { 'f:matchLabels': {} },
  },
  {
    reason: 'a member that no reference has',
    wanted: { name: 'n', size: 1 },
    live: { name: 'n', size: 1 },
    owned: {},
  },
  { reason: 'a value where a list of items was', wanted: 'v', live: [item], owned: { 'k:{"name":"a"}': itemOwned } },
  {
    reason: 'an item of which only one key matches',
    wanted: [{ name: 'a', kind: 'K' }],
    live: [{ name: 'b', kind: 'K' }],
    owned: { 'k:{"name":"a","kind":"K"}': { '.': {}, 'f:name': {}, 'f:kind': {} } },
  },
  {
    reason: 'a set by the keys of an object',
    wanted: [{ a: 1 }],
    live: [{ a: 1, b: 2 }],
    owned: { 'v:{"a":1}': {} },
  },
  {
    reason: 'an item without parts that has another value',
    wanted: [{ uid: 'u', controller: true }],
    live: [{ uid: 'u', controller: false }],
    owned: { 'k:{"uid":"u"}': {} },
  },
  { reason: 'another selector', wanted: selector, live: { matchLabels: {} }, owned: {} },
  { reason: 'an empty object of unknown type that holds something', wanted: {}, live: { a: 1 }, owned: {} },
  { reason: 'an empty object that is gone', wanted: {}, live: undefined, owned: {} },
  {
    reason: 'an empty object around empty lists',
    wanted: {},
    live: { a: { b: [] } },
    owned: {},
    others: { 'f:a': { 'f:b': {} } },
  },
  {
    reason: 'an empty list of items, which no manager can own',
    wanted: { a: [] },
    live: { a: [] },
    owned: { '.': {} },
  },
  {
    reason: 'an item too many',
    wanted: [item],
    live: [item],
    owned: { 'k:{"name":"a"}': itemOwned, 'k:{"name":"b"}': itemOwned },
  },
  { reason: 'a list that is gone', wanted: [item], live: undefined, owned: { 'k:{"name":"a"}': itemOwned } },
  { reason: 'an item that is gone', wanted: [item], live: [{ name: 'b' }], owned: { 'k:{"name":"a"}': itemOwned } },
  { reason: 'an item that is not wanted', wanted: [item], live: [item], owned: { 'k:{"name":"b"}': itemOwned } },
  {
    reason: 'an item with another value',
    wanted: [item],
    live: [{ name: 'a', value: 2 }],
    owned: { 'k:{"name":"a"}': itemOwned },
  },
  { reason: 'an item that occurs twice', wanted: [item], live: [item, item], owned: { 'k:{"name":"a"}': itemOwned } },
  { reason: 'an item without record', wanted: [item], live: [item], owned: { 'k:{"name":"a"}': 'x' } },
  { reason: 'our items in another order', wanted: ['a', 'b'], live: ['b', 'a'], owned: { 'v:"a"': {}, 'v:"b"': {} } },
  { reason: 'a list by index', wanted: ['a'], live: ['a'], owned: { 'i:0': {} } },
  { reason: 'a record that cannot be read', wanted: ['a'], live: ['a'], owned: { 'v:a': {} } },
  { reason: 'keys that cannot be read', wanted: [item], live: [item], owned: { 'k:"a"': {} } },
];

describe('an apply', () => {
  it.each(certain)('surely changes nothing: $reason', each => {
    expect(judge(each)).toBe('certain');
  });

  it.each(unknown)('may change an object: $reason', each => {
    expect(judge(each)).toBe('unknown');
  });

  const labels = { a: 'b' };
  const owned = { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:x': {} } };

  it('counts labels, annotations and owners, and nothing else of the metadata', () => {
    const owners = [{ kind: 'Secret', uid: 'u1' }];
    const fields = {
      ...owned,
      'f:metadata': {
        ...owned['f:metadata'],
        'f:annotations': { 'f:c': {} },
        'f:ownerReferences': { 'k:{"uid":"u1"}': {} },
      },
    };
    const metadata = { labels, annotations: { c: 'd' }, ownerReferences: owners };
    const found = liveObject({ x: 1 }, [ownEntry(fields)], {
      labels: { ...labels, more: '' },
      annotations: { c: 'd' },
      ownerReferences: [{ kind: 'Cluster', uid: 'u0' }, ...owners],
      generation: 3,
    });
    expect(appliesWithoutChange(intentOf({ x: 1 }, metadata), found)).toBe('certain');
    expect(appliesWithoutChange(intentOf({ x: 1 }, { ...metadata, labels: { a: 'c' } }), found)).toBe('unknown');
    expect(appliesWithoutChange(intentOf({ x: 1 }, { labels }), found)).toBe('unknown');
    expect(appliesWithoutChange(intentOf({ x: 1 }), found)).toBe('unknown');
  });

  it('compares finalizers, which have separate owners', () => {
    const fields = { 'f:metadata': { 'f:finalizers': { 'v:"a"': {} } }, 'f:spec': { 'f:x': {} } };
    const found = liveObject({ x: 1 }, [ownEntry(fields)], { finalizers: ['b', 'a'] });
    expect(appliesWithoutChange(intentOf({ x: 1 }, { finalizers: ['a'] }), found)).toBe('certain');
    expect(appliesWithoutChange(intentOf({ x: 1 }, { finalizers: ['b', 'a'] }), found)).toBe('unknown');
    expect(appliesWithoutChange(intentOf({ x: 1 }), found)).toBe('unknown');
  });

  it('of an empty spec, empty labels and empty annotations changes nothing when other managers fill them', () => {
    const fields = { 'f:metadata': { 'f:labels': {}, 'f:annotations': {} }, 'f:spec': {} };
    const found = liveObject({ x: 1 }, [ownEntry(fields)], { labels, annotations: { c: 'd' } });
    expect(appliesWithoutChange(intentOf({}, { labels: {}, annotations: {} }), found)).toBe('certain');
  });

  it('ignores fields that it never owned, even if the spec contains a reference', () => {
    const found = liveObject({ name: 'n' }, [ownEntry({ 'f:spec': {} })]);
    expect(appliesWithoutChange(intentOf({ name: 'n' }), found)).toBe('unknown');
  });

  it.each([
    { reason: 'no manager is recorded', entries: [] },
    { reason: 'only others are', entries: [ownEntry(owned, { manager: 'kubectl' })] },
    { reason: 'ours wrote otherwise', entries: [ownEntry(owned, { operation: 'Update' })] },
    { reason: 'ours applied the status', entries: [ownEntry(owned, { subresource: 'status' })] },
    {
      reason: 'ours applied another version',
      entries: [ownEntry(owned, { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' })],
    },
    { reason: 'ours is recorded twice', entries: [ownEntry(owned), ownEntry(owned)] },
    {
      reason: 'the repair of managed fields left a mark alone',
      entries: [ownEntry({ 'f:metadata': { 'f:name': {} } })],
    },
  ])('may change an object if $reason', ({ entries }) => {
    const found = liveObject({ x: 1 }, entries, { labels });
    expect(appliesWithoutChange(intentOf({ x: 1 }, { labels }), found)).toBe('unknown');
  });

  it('may change an object that was read as another kind or version', () => {
    const found = liveObject({ x: 1 }, [ownEntry(owned)], { labels });
    const intent = intentOf({ x: 1 }, { labels });
    expect(appliesWithoutChange(intent, found)).toBe('certain');
    expect(appliesWithoutChange(intent, { ...found, kind: 'Other' })).toBe('unknown');
    expect(appliesWithoutChange(intent, { ...found, apiVersion: 'infrastructure.cluster.x-k8s.io/v1' })).toBe(
      'unknown',
    );
  });
});
