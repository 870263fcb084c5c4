import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../../../packages/apiserver/core/apply/fields-of-value.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { widgetSchema } from './managed-object.ts';

const type = toMergeType(widgetSchema);

describe('the manager that applies', () => {
  it.each([
    { reason: 'a value', spec: { mode: 'a' }, owned: { 'f:mode': {} } },
    { reason: 'null', spec: { mode: null, lbl: null, tags: null }, owned: { 'f:lbl': {}, 'f:mode': {}, 'f:tags': {} } },
    {
      reason: 'a struct, only its leaves',
      spec: { struct: { a: '1', c: {} } },
      owned: { 'f:struct': { 'f:a': {}, 'f:c': {} } },
    },
    { reason: 'a map, its members', spec: { lbl: { k: 'v' } }, owned: { 'f:lbl': { 'f:k': {} } } },
    {
      reason: 'a map of structs, its members too',
      spec: { nested: { x: { a: '1' } } },
      owned: { 'f:nested': { 'f:x': { '.': {}, 'f:a': {} } } },
    },
    { reason: 'an empty map, as a whole', spec: { lbl: {} }, owned: { 'f:lbl': {} } },
    { reason: 'an atomic list', spec: { plain: [] }, owned: { 'f:plain': {} } },
    { reason: 'an atomic map', spec: { piece: { a: '1' } }, owned: { 'f:piece': {} } },
    {
      reason: 'items with their keys',
      spec: { items: [{ name: 'p' }] },
      owned: { 'f:items': { 'k:{"name":"p"}': { '.': {}, 'f:name': {} } } },
    },
    {
      reason: 'items by defaults without owner',
      spec: { ports: [{ port: 80 }] },
      owned: { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    },
    {
      reason: 'a value without a schema, as maps with leaves',
      spec: { free: { deep: { x: 1, l: [{ a: 1 }], e: {} } } },
      owned: { 'f:free': { 'f:deep': { '.': {}, 'f:e': {}, 'f:l': {}, 'f:x': {} } } },
    },
    {
      reason: 'an embedded object, metadata as such',
      spec: { embedded: { metadata: { finalizers: ['a/b'] } } },
      owned: { 'f:embedded': { 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } } } },
    },
  ])('owns $reason', ({ spec, owned }) => {
    expect(JSON.stringify(fieldsOf(type, { spec }))).toBe(JSON.stringify({ 'f:spec': owned }));
  });

  it('owns nothing of empty lists that are merged item by item', () => {
    expect(fieldsOf(type, { spec: { tags: [], items: [] } })).toBeUndefined();
  });

  it('owns references as a whole, by uid', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }];
    expect(fieldsOf(type, { metadata: { ownerReferences } })).toEqual({
      'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } },
    });
  });

  it('owns members by the schema of all objects if the kind has none', () => {
    const object = { metadata: { labels: { a: 'b' } }, data: { k: { l: [1] } } };
    expect(fieldsOf(toMergeType(undefined), object)).toEqual({
      'f:metadata': { 'f:labels': { 'f:a': {} } },
      'f:data': { '.': {}, 'f:k': { '.': {}, 'f:l': {} } },
    });
  });
});
