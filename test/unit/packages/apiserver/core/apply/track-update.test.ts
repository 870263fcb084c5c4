import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../../packages/apimachinery/json.ts';
import { builtInType } from '../../../../../../packages/apiserver/core/apply/built-in-types.ts';
import { trackUpdate } from '../../../../../../packages/apiserver/core/apply/track-update.ts';
import { apiVersion, ManagedObject } from './managed-object.ts';

const entry = {
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:mode': {} } },
  manager: 'a',
  operation: 'Update',
};

describe('a create', () => {
  it('owns all of its fields, containers too', () => {
    const object = new ManagedObject();
    object.patch('c', {
      metadata: { labels: { a: 'b' }, finalizers: ['x/y'], generateName: 'w-' },
      spec: { mode: 'a', tags: ['x'], struct: { c: {} }, plain: [1], nested: { x: { a: '1' } } },
    });
    expect(object.owners).toEqual({
      'c/Update': {
        'f:metadata': {
          'f:finalizers': { '.': {}, 'v:"x/y"': {} },
          'f:generateName': {},
          'f:labels': { '.': {}, 'f:a': {} },
        },
        'f:spec': {
          '.': {},
          'f:mode': {},
          'f:nested': { '.': {}, 'f:x': { '.': {}, 'f:a': {} } },
          'f:plain': {},
          'f:struct': { '.': {}, 'f:c': {} },
          'f:tags': { '.': {}, 'v:"x"': {} },
        },
      },
    });
  });

  it('of a built-in kind does not own the fields that every object of it has', () => {
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, source: { component: 'c' }, reason: 'R' };
    const updated = { ...event, involvedObject: { name: 'x' }, eventTime: null, reportingComponent: '' };
    const known = builtInType('v1', 'Event');
    const entries = trackUpdate({
      apiVersion: 'v1',
      typeOf: () => known?.type,
      ...(known === undefined ? {} : { zero: known.zero }),
      live: undefined,
      updated,
      manager: 'c',
      subresource: '',
      reset: undefined,
      now: 0,
    });
    expect(entries).toMatchObject([
      { manager: 'c', fieldsV1: { 'f:involvedObject': {}, 'f:reason': {}, 'f:source': { 'f:component': {} } } },
    ]);
    expect(Object.keys(entries[0]?.fieldsV1 ?? {})).toEqual(['f:involvedObject', 'f:reason', 'f:source']);
  });
});

describe('an update', () => {
  it('keeps the same entries when it changes nothing', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    const before = object.entries;
    object.patch('u', { spec: { mode: 'a' } });
    expect(object.entries).toBe(before);
  });

  it('does not change other entries or their times', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    const [before] = object.entries;
    object.patch('u', { spec: { size: 1 } });
    expect(object.entries[0]).toBe(before);
  });

  it('that only removes fields creates no entry', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a', lbl: { a: '1', b: '2' } } });
    object.patch('u', { spec: { lbl: { b: null } } });
    expect(object.owners).toEqual({
      'c/Update': { 'f:spec': { '.': {}, 'f:lbl': { '.': {}, 'f:a': {} }, 'f:mode': {} } },
    });
  });

  it('by the same manager adds to its entry', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    object.patch('c', { spec: { size: 2 } });
    expect(object.entries).toMatchObject([
      { manager: 'c', time: '2030-01-01T00:00:02Z', fieldsV1: { 'f:spec': { '.': {}, 'f:mode': {}, 'f:size': {} } } },
    ]);
  });

  it('keeps an untracked object untracked', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    object.patch('c', { metadata: { managedFields: [{}] } });
    object.patch('c', { spec: { mode: 'b' } });
    expect(object.entries).toEqual([]);
  });

  it('of the status has a separate entry', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    object.patch('c', { metadata: { labels: { a: 'b' } }, status: { phase: 'x' } }, { subresource: 'status' });
    expect(object.owners['c/Update/status']).toEqual({ 'f:status': { '.': {}, 'f:phase': {} } });
  });

  it('drops entries of versions that are no longer served', () => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    object.patch('c', {
      metadata: { managedFields: [entry, { ...entry, manager: 'b', apiVersion: 'conf.example.com/v0' }] },
    });
    object.patch('u', { spec: { size: 1 } });
    expect(Object.keys(object.owners)).toEqual(['a/Update', 'u/Update']);
  });
});

describe('managed fields that a client sends', () => {
  interface Example {
    readonly reason: string;
    readonly sent: unknown;
    readonly owners: JsonObject;
  }
  const own = { 'c/Update': { 'f:spec': { '.': {}, 'f:mode': {} } } };
  it.each<Example>([
    { reason: 'are ignored when they are not a list', sent: 'x', owners: own },
    { reason: 'are ignored when they are empty', sent: [], owners: own },
    { reason: 'clear when one entry is empty', sent: [{}], owners: {} },
    { reason: 'are ignored when two entries are empty', sent: [{}, {}], owners: own },
    { reason: 'are ignored when an entry is not an object', sent: [1], owners: own },
    { reason: 'are ignored with an unknown operation', sent: [{ ...entry, operation: 'Delete' }], owners: own },
    { reason: 'are ignored with an unknown type of fields', sent: [{ ...entry, fieldsType: 'FieldsV2' }], owners: own },
    { reason: 'are ignored without a version', sent: [{ ...entry, apiVersion: '' }], owners: own },
    { reason: 'are ignored with an invalid manager', sent: [{ ...entry, manager: 1 }], owners: own },
    { reason: 'are ignored with an invalid subresource', sent: [{ ...entry, subresource: 1 }], owners: own },
    { reason: 'are ignored with malformed fields', sent: [{ ...entry, fieldsV1: { zzz: {} } }], owners: own },
    { reason: 'are ignored with malformed keys', sent: [{ ...entry, fieldsV1: { 'k:{': {} } }], owners: own },
    {
      reason: 'are ignored with keys that are not an object',
      sent: [{ ...entry, fieldsV1: { 'k:1': {} } }],
      owners: own,
    },
    { reason: 'are ignored with an invalid index', sent: [{ ...entry, fieldsV1: { 'i:a': {} } }], owners: own },
    { reason: 'are ignored with fields that are not an object', sent: [{ ...entry, fieldsV1: 1 }], owners: own },
    { reason: 'clear when no entry has fields', sent: [{ ...entry, fieldsV1: {} }], owners: {} },
    { reason: 'clear when fields are missing', sent: [{ ...entry, fieldsV1: undefined }], owners: {} },
    { reason: 'replace the entries', sent: [entry], owners: { 'a/Update': entry.fieldsV1 } },
    {
      reason: 'omit elements of an unknown type',
      sent: [{ ...entry, fieldsV1: { 'f:spec': { 'q:x': {}, 'f:mode': {} } } }],
      owners: { 'a/Update': entry.fieldsV1 },
    },
    {
      reason: 'are stored in the canonical spelling',
      sent: [
        {
          ...entry,
          operation: 'Apply',
          fieldsV1: { 'f:spec': { 'i:0': {}, 'v: "a<b"': {}, 'k:{"b":1, "a":"&"}': {}, 'f:mode': {}, '.': {} } },
        },
      ],
      owners: {
        'a/Apply': {
          'f:spec': { '.': {}, 'f:mode': {}, 'i:0': {}, 'k:{"a":"\\u0026","b":1}': {}, 'v:"a\\u003cb"': {} },
        },
      },
    },
    {
      reason: 'count once per writer, the last time',
      sent: [entry, { ...entry, fieldsV1: { 'f:spec': { 'f:size': {} } }, time: '2020-01-01T00:00:00Z' }],
      owners: { 'a/Update': { 'f:spec': { 'f:size': {} } } },
    },
  ])('$reason', ({ sent, owners }) => {
    const object = new ManagedObject();
    object.patch('c', { spec: { mode: 'a' } });
    object.patch('u', { metadata: { managedFields: sent } });
    expect(JSON.stringify(object.owners)).toEqual(JSON.stringify(owners));
  });
});

describe('the eleventh entry of an update', () => {
  it('merges the two oldest ones', () => {
    const object = new ManagedObject();
    for (let number = 0; number < 12; number += 1) {
      object.patch(`u${number}`, { spec: { lbl: { [`k${number}`]: 'v' } } });
    }
    expect(object.entries).toHaveLength(10);
    expect(object.entries[0]).toEqual({
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { '.': {}, 'f:lbl': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } } },
      manager: 'ancient-changes',
      operation: 'Update',
      time: '2030-01-01T00:00:03Z',
    });
  });
});
