import { describe, expect, it } from 'vitest';
import { NoSuchRouteError } from '../../../../../packages/apiserver/core/status.ts';
import { countingIds } from '../../../../support/memory-api.ts';
import { at, aWidget, aWorld, causesOf, endpointOf, namespace, refusalOf } from './core-with-widgets.ts';

describe('creating an object', () => {
  it('sets server-side fields, regardless of the request', () => {
    const { core, widgets } = aWorld();
    const claimed = {
      uid: 'mine',
      generation: 9,
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
    };
    const created = core.create(widgets, namespace, aWidget('w', { metadata: claimed, status: { phase: 'Faked' } }));
    expect(created.metadata).toEqual({
      name: 'w',
      namespace,
      uid: expect.stringMatching(/^00000000-/),
      resourceVersion: core.resourceVersion(),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [expect.objectContaining({ manager: 'unknown', operation: 'Update' })],
    });
    expect(created.status).toBeUndefined();
  });

  it('returns frozen objects and copies its input', () => {
    const { core, widgets } = aWorld();
    const spec = { list: ['a'] };
    const created = core.create(widgets, namespace, aWidget('w', { spec }));
    spec.list.push('b');
    expect(created.spec).toEqual({ list: ['a'] });
    expect(() => Object.assign(created.metadata, { name: 'other' })).toThrow(TypeError);
  });

  it('generates a name that differs each time and fits a label', () => {
    const { core, widgets } = aWorld();
    const body = {
      apiVersion: 'unit.example.com/v1',
      kind: 'Widget',
      metadata: { generateName: `${'g'.repeat(70)}-` },
    };
    const names = [1, 2].map(() => core.create(widgets, namespace, body).metadata.name);
    expect(names).toEqual([`${'g'.repeat(58)}00001`, `${'g'.repeat(58)}00002`]);
  });

  it('draws a generated name again when it is in use, up to a limit', () => {
    const suffixes = ['one', 'one', 'one', 'two', ...Array(8).fill('two'), 'three'];
    const ids = { ...countingIds(), nameSuffix: () => suffixes.shift() ?? '' };
    const { core, widgets } = aWorld({ ids });
    const draw = () =>
      core.create(widgets, namespace, aWidget('', { metadata: { name: undefined, generateName: 'g-' } })).metadata.name;
    expect([draw(), draw()]).toEqual(['g-one', 'g-two']);
    expect(refusalOf(draw)).toMatchObject({ code: 409, reason: 'AlreadyExists', details: { name: 'g-two' } });
    expect(draw()).toBe('g-three');
  });

  it.each([
    { reason: 'no name at all', metadata: { name: undefined }, causes: ['FieldValueRequired metadata.name'] },
    { reason: 'a name with capitals', metadata: { name: 'A_B' }, causes: ['FieldValueInvalid metadata.name'] },
    {
      reason: 'a name that is too long',
      metadata: { name: 'a'.repeat(254) },
      causes: ['FieldValueInvalid metadata.name'],
    },
    {
      reason: 'an illegal label value',
      metadata: { labels: { a: '!' } },
      causes: ['FieldValueInvalid metadata.labels'],
    },
    {
      reason: 'an illegal label key',
      metadata: { labels: { 'a/b/c': 'd' } },
      causes: ['FieldValueInvalid metadata.labels'],
    },
    {
      reason: 'a label value that is too long',
      metadata: { labels: { a: 'x'.repeat(64) } },
      causes: ['FieldValueInvalid metadata.labels'],
    },
    {
      reason: 'a label key that is too long',
      metadata: { labels: { ['x'.repeat(64)]: '' } },
      causes: ['FieldValueInvalid metadata.labels'],
    },
    {
      reason: 'a label key with an illegal prefix',
      metadata: { labels: { 'A_/b': '' } },
      causes: ['FieldValueInvalid metadata.labels'],
    },
    {
      reason: 'annotations that are too long together',
      metadata: { annotations: { a: 'x'.repeat(262_144) } },
      causes: ['FieldValueTooLong metadata.annotations'],
    },
    {
      reason: 'an illegal annotation key',
      metadata: { annotations: { '': 'd' } },
      causes: ['FieldValueInvalid metadata.annotations'],
    },
    {
      reason: 'an illegal finalizer',
      metadata: { finalizers: ['a b'] },
      causes: ['FieldValueInvalid metadata.finalizers'],
    },
    {
      reason: 'an owner without uid',
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 's' }] },
      causes: ['FieldValueInvalid metadata.ownerReferences.uid'],
    },
    {
      reason: 'two controllers',
      metadata: {
        ownerReferences: ['a', 'b'].map(name => ({
          apiVersion: 'v1',
          kind: 'Secret',
          name,
          uid: name,
          controller: true,
        })),
      },
      causes: ['FieldValueInvalid metadata.ownerReferences'],
    },
  ])('refuses $reason', ({ metadata, causes }) => {
    const { core, widgets } = aWorld();
    expect(causesOf(() => core.create(widgets, namespace, aWidget('w', { metadata })))).toEqual(causes);
  });

  it.each([
    { reason: 'a body that is not an object', body: 'text' },
    { reason: 'a missing kind', body: { apiVersion: 'unit.example.com/v1', metadata: { name: 'w' } } },
    { reason: 'a missing apiVersion', body: { kind: 'Widget', metadata: { name: 'w' } } },
    { reason: 'another version', body: { apiVersion: 'unit.example.com/v2', kind: 'Widget', metadata: { name: 'w' } } },
    { reason: 'another namespace', body: aWidget('w', { metadata: { namespace: 'other' } }) },
    { reason: 'metadata that is not an object', body: { ...aWidget('w'), metadata: 'm' } },
    { reason: 'labels that are not texts', body: aWidget('w', { metadata: { labels: { a: 1 } } }) },
    { reason: 'labels that are not a map', body: aWidget('w', { metadata: { labels: 'a' } }) },
    { reason: 'finalizers that are not a list', body: aWidget('w', { metadata: { finalizers: 'a' } }) },
    { reason: 'an owner that is not an object', body: aWidget('w', { metadata: { ownerReferences: ['a'] } }) },
    { reason: 'a generation that is not a number', body: aWidget('w', { metadata: { generation: 'a' } }) },
    {
      reason: 'a controller flag that is not a boolean',
      body: aWidget('w', { metadata: { ownerReferences: [{ controller: 'yes' }] } }),
    },
  ])('calls $reason a bad request', ({ body }) => {
    const { core, widgets } = aWorld();
    expect(refusalOf(() => core.create(widgets, namespace, body))).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('refuses another kind of the same group', () => {
    const { core, widgets } = aWorld();
    const body = { ...aWidget('w'), kind: 'Gadget' };
    expect(causesOf(() => core.create(widgets, namespace, body))).toEqual(['FieldValueInvalid kind']);
    const secret = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' } };
    const refusal = refusalOf(() => core.create(endpointOf(core, 'v1', 'Secret'), namespace, secret));
    expect(refusal).toMatchObject({ code: 400 });
  });

  it('refuses an object that claims to be stored', () => {
    const { core, widgets } = aWorld();
    const body = aWidget('w', { metadata: { resourceVersion: '7' } });
    expect(refusalOf(() => core.create(widgets, namespace, body))).toMatchObject({ code: 400 });
  });

  it('names the missing namespace', () => {
    const { core, widgets } = aWorld();
    const refusal = refusalOf(() =>
      core.create(widgets, 'nowhere', aWidget('w', { metadata: { namespace: undefined } })),
    );
    expect(refusal).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
      details: { kind: 'namespaces', name: 'nowhere' },
    });
  });

  it('has no URL for a namespaced object without a namespace', () => {
    const { core, widgets } = aWorld();
    expect(() => core.create(widgets, '', aWidget('w'))).toThrow(NoSuchRouteError);
  });

  it('refuses a name in use, also while its object is being deleted', () => {
    const { core, widgets } = aWorld();
    core.create(widgets, namespace, aWidget('w', { metadata: { finalizers: ['a.b/c'] } }));
    core.delete(at(widgets, 'w'));
    expect(refusalOf(() => core.create(widgets, namespace, aWidget('w')))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: widgets.unit.example.com "w" already exists',
      details: { group: 'unit.example.com', kind: 'widgets', name: 'w' },
    });
  });

  it('drops empty metadata and unknown members of it', () => {
    const { core, widgets } = aWorld();
    const metadata = { labels: {}, finalizers: [], annotations: null, invented: 1 };
    const created = core.create(widgets, namespace, aWidget('w', { metadata }));
    expect(Object.keys(created.metadata).sort()).toEqual([
      'creationTimestamp',
      'generation',
      'managedFields',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });
});
