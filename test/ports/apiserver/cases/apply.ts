// Server-side apply: ownership, merging, removal and conflicts of fields.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import {
  type Case,
  created,
  done,
  expectInvalid,
  expectRefusal,
  readWidget,
  widgetKind,
  widgets,
} from '../api-case.ts';
import { appliedWidget, applyAt, applyWidget, entriesOf, expectConflicts, owners } from '../applied.ts';
import { finalizer, group } from '../fixtures.ts';

const m1 = { manager: 'm1' } as const;
const m2 = { manager: 'm2' } as const;

export const applyCases: readonly Case[] = [
  {
    id: 'A83',
    says: 'an apply of a missing object creates it, and records only the applied fields',
    async run(api) {
      const widget = await appliedWidget(
        api,
        {
          metadata: { labels: { a: '1' } },
          spec: {
            size: 1,
            tags: ['x'],
            items: [{ name: 'p', value: 1 }],
            lookup: { k: 'v' },
            pair: { left: 'l' },
            parts: ['one'],
            free: { deep: { x: 1, list: [{ y: 1 }] } },
          },
        },
        m1,
      );
      expect(widget.metadata).toMatchObject({ generation: 1, resourceVersion: expect.any(String) });
      expect(widget.spec).toMatchObject({ mode: 'Plain', replicas: 1 });
      expect(entriesOf(widget)).toEqual([
        {
          manager: 'm1',
          operation: 'Apply',
          apiVersion: widgetKind.apiVersion,
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:a': {} } },
            'f:spec': {
              'f:size': {},
              'f:tags': { 'v:"x"': {} },
              'f:items': { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
              'f:lookup': { 'f:k': {} },
              'f:pair': {},
              'f:parts': {},
              'f:free': { 'f:deep': { '.': {}, 'f:list': {}, 'f:x': {} } },
            },
          },
        },
      ]);
    },
  },
  {
    id: 'A84',
    says: 'the same apply again keeps the resource version',
    async run(api) {
      const parts = { spec: { size: 1, tags: ['x'] } };
      const widget = await appliedWidget(api, parts, m1);
      expect(done(await applyWidget(api, widget.metadata.name, parts, m1))).toEqual(widget);
    },
  },
  {
    id: 'A85',
    says: 'managers own different members of one set, list with keys and map',
    async run(api) {
      const one = { tags: ['x'], items: [{ name: 'p', value: 1 }], lookup: { a: '1' } };
      const two = { tags: ['y'], items: [{ name: 'q', value: 2 }], lookup: { b: '2' } };
      const { metadata } = await appliedWidget(api, { spec: one }, m1);
      const both = done(await applyWidget(api, metadata.name, { spec: two }, m2));
      expect(both.spec).toMatchObject({
        tags: ['x', 'y'],
        items: [...one.items, ...two.items],
        lookup: { a: '1', b: '2' },
      });
      const owned = (tag: string, item: string, key: string) => ({
        'f:spec': {
          'f:tags': { [`v:"${tag}"`]: {} },
          'f:items': { [`k:{"name":"${item}"}`]: { '.': {}, 'f:name': {}, 'f:value': {} } },
          'f:lookup': { [`f:${key}`]: {} },
        },
      });
      expect(owners(both)).toEqual({ 'm1/Apply': owned('x', 'p', 'a'), 'm2/Apply': owned('y', 'q', 'b') });
    },
  },
  {
    id: 'A86',
    says: 'another value for a field of another manager is a conflict, reported field by field',
    async run(api) {
      const spec = { size: 1, items: [{ name: 'p', value: 1 }], lookup: { k: 'v' } };
      const widget = await appliedWidget(api, { metadata: { labels: { a: '1' } }, spec }, m1);
      const other = { size: 2, items: [{ name: 'p', value: 2 }], lookup: { k: 'w' } };
      const parts = { metadata: { labels: { a: '2' } }, spec: other };
      expectConflicts(await applyWidget(api, widget.metadata.name, parts, m2), [
        '.metadata.labels.a',
        '.spec.items[name="p"].value',
        '.spec.lookup.k',
        '.spec.size',
      ]);
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
  {
    id: 'A87',
    says: 'force takes the field over',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { size: 1, note: 'n' } }, m1);
      const forced = done(await applyWidget(api, metadata.name, { spec: { size: 2 } }, { ...m2, force: true }));
      expect(forced.spec).toMatchObject({ size: 2, note: 'n' });
      expect(owners(forced)).toEqual({
        'm1/Apply': { 'f:spec': { 'f:note': {} } },
        'm2/Apply': { 'f:spec': { 'f:size': {} } },
      });
    },
  },
  {
    id: 'A88',
    says: 'owners of the same value share the field, which is removed with the last of them',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { size: 1, note: 'n' } }, m1);
      const again = (parts: object, as: typeof m1 | typeof m2) => applyWidget(api, metadata.name, { spec: parts }, as);
      const shared = done(await again({ note: 'n' }, m2));
      expect(owners(shared)).toEqual({
        'm1/Apply': { 'f:spec': { 'f:size': {}, 'f:note': {} } },
        'm2/Apply': { 'f:spec': { 'f:note': {} } },
      });
      expect(shared.metadata).toMatchObject({ generation: 1 });
      expect(shared.metadata.resourceVersion).not.toBe(metadata.resourceVersion);
      expect(done(await again({ size: 1 }, m1)).spec).toMatchObject({ size: 1, note: 'n' });
      const last = done(await again({ mode: 'Plain' }, m2));
      expect(last.spec).toEqual({ size: 1, mode: 'Plain', replicas: 1 });
    },
  },
  {
    id: 'A89',
    says: 'an item that its only owner omits is removed, one of two owners stays',
    async run(api) {
      const [p, q] = [
        { name: 'p', value: 1 },
        { name: 'q', value: 2 },
      ];
      const { metadata } = await appliedWidget(api, { spec: { items: [p, q], tags: ['x', 'y'] } }, m1);
      done(await applyWidget(api, metadata.name, { spec: { items: [q], tags: ['y'] } }, m2));
      const left = done(await applyWidget(api, metadata.name, { spec: { size: 1 } }, m1));
      expect(left.spec).toMatchObject({ items: [q], tags: ['y'], size: 1 });
    },
  },
  {
    id: 'A90',
    says: 'a patch takes the field from the manager that applied it',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { size: 1, note: 'n' } }, m1);
      const path = widgets(api, metadata.name);
      const patched = done(await api.http.patch(path, { spec: { size: 2 } }, { query: { fieldManager: 'u1' } }));
      expect(owners(patched)).toEqual({
        'm1/Apply': { 'f:spec': { 'f:note': {} } },
        'u1/Update': { 'f:spec': { 'f:size': {} } },
      });
      expectConflicts(await applyWidget(api, metadata.name, { spec: { size: 1, note: 'n' } }, m1), ['.spec.size']);
    },
  },
  {
    id: 'A91',
    says: 'an update that writes the same value changes no owner',
    async run(api) {
      const widget = await appliedWidget(api, { spec: { size: 1 } }, m1);
      const path = widgets(api, widget.metadata.name);
      const query = { fieldManager: 'u1' };
      expect(done(await api.http.put(path, widget, { query }))).toEqual(widget);
      expect(done(await api.http.patch(path, { spec: { size: 1 } }, { query }))).toEqual(widget);
    },
  },
  {
    id: 'A92',
    says: 'a manager is in conflict with its own updates',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { note: 'n' } }, m1);
      const path = widgets(api, metadata.name);
      done(await api.http.patch(path, { spec: { size: 2 } }, { query: { fieldManager: 'm1' } }));
      const parts = { spec: { note: 'n', size: 3 } };
      expectConflicts(await applyWidget(api, metadata.name, parts, m1), ['.spec.size']);
      const forced = done(await applyWidget(api, metadata.name, parts, { ...m1, force: true }));
      expect(owners(forced)).toEqual({ 'm1/Apply': { 'f:spec': { 'f:note': {}, 'f:size': {} } } });
    },
  },
  {
    id: 'A93',
    says: 'an apply names its manager and its object, and no managed fields',
    async run(api) {
      const name = freshName('applied');
      const path = widgets(api, name);
      const query = { fieldManager: 'm1' };
      const body = { ...widgetKind, metadata: { name }, spec: { size: 1 } };
      expectInvalid(await applyAt(api, path, body), { reason: 'FieldValueRequired', field: 'fieldManager' });
      const wrong = [
        { ...body, metadata: { name, managedFields: [{ manager: 'm1' }] } },
        { ...body, metadata: { name: 'other' } },
        { ...body, apiVersion: `${group}/v1alpha1` },
        { metadata: { name }, spec: { size: 1 } },
        { ...widgetKind, kind: 'Gizmo', metadata: { name } },
        'spec: [',
        '[]',
      ];
      for (const each of wrong) {
        expectRefusal(await applyAt(api, path, each, query), 400, { reason: 'BadRequest' });
      }
      expectRefusal(await api.http.get(path), 404);
    },
  },
  {
    id: 'A94',
    says: 'an apply that violates the schema is rejected',
    async run(api) {
      const widget = await appliedWidget(api, { spec: { size: 1 } }, m1);
      const wrong = [
        { unknown: 1 },
        { tags: ['x', 'x'] },
        { items: [{ name: 'p' }, { name: 'p' }] },
        { items: [{ value: 1 }] },
        { size: 'one' },
        { lookup: ['a'] },
      ];
      for (const spec of wrong) {
        const answer = await applyWidget(api, widget.metadata.name, { spec }, m1);
        expect(answer.status, JSON.stringify(spec)).toBeGreaterThanOrEqual(400);
        expect(await readWidget(api, widget)).toEqual(widget);
      }
    },
  },
  {
    id: 'A95',
    says: 'a dry run returns the result of an apply',
    async run(api) {
      const widget = await appliedWidget(api, { spec: { size: 1, note: 'n' } }, m1);
      const { name, uid, resourceVersion } = widget.metadata;
      const shown = done(await applyWidget(api, name, { spec: { size: 2 } }, { ...m1, dryRun: true }));
      expect(shown.metadata).toMatchObject({ uid, resourceVersion, generation: 2 });
      expect(shown.spec).toEqual({ size: 2, mode: 'Plain', replicas: 1 });
      expect(owners(shown)).toEqual({ 'm1/Apply': { 'f:spec': { 'f:size': {} } } });
      expect(await readWidget(api, widget)).toEqual(widget);
      const missing = freshName('applied');
      const made = await applyWidget(api, missing, { spec: { size: 1 } }, { ...m1, dryRun: true });
      expect(made).toMatchObject({ status: 201, body: { metadata: { uid: expect.any(String) } } });
      expect(made.body).not.toHaveProperty('metadata.resourceVersion');
      expectRefusal(await api.http.get(widgets(api, missing)), 404);
    },
  },
  {
    id: 'A96',
    says: 'an apply of another version, or for another object, is a conflict',
    async run(api) {
      const widget = await appliedWidget(api, { spec: { size: 1 } }, m1);
      const { name, resourceVersion } = widget.metadata;
      done(await api.http.patch(widgets(api, name), { spec: { note: 'n' } }));
      const stale = { metadata: { resourceVersion }, spec: { size: 2 } };
      expectRefusal(await applyWidget(api, name, stale, m1), 409, { reason: 'Conflict' });
      const uid = '00000000-0000-4000-8000-000000000000';
      const foreign = { metadata: { uid }, spec: { size: 2 } };
      expectInvalid(await applyWidget(api, name, foreign, m1), { field: 'metadata.uid' });
      const missing = freshName('applied');
      expectRefusal(await applyWidget(api, missing, foreign, m1), 409, { reason: 'Conflict' });
      expectRefusal(await api.http.get(widgets(api, missing)), 404);
      created(await applyWidget(api, missing, stale, m1));
    },
  },
  {
    id: 'A99',
    says: 'a list without a type is owned as a whole',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { parts: ['a', 'b'] } }, m1);
      const parts = { spec: { parts: ['c'] } };
      expectConflicts(await applyWidget(api, metadata.name, parts, m2), ['.spec.parts']);
      const forced = done(await applyWidget(api, metadata.name, parts, { ...m2, force: true }));
      expect(forced.spec).toMatchObject({ parts: ['c'] });
      expect(owners(forced)).toEqual({ 'm2/Apply': { 'f:spec': { 'f:parts': {} } } });
    },
  },
  {
    id: 'A100',
    says: 'finalizers and owner references of an update stay beside applied ones',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { size: 1 } }, m1);
      const owner = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Unserved', name, uid: `uid-${name}` });
      const path = widgets(api, metadata.name);
      const set = { metadata: { finalizers: [finalizer], ownerReferences: [owner('a')] } };
      done(await api.http.patch(path, set));
      const added = `${group}/more`;
      const more = { metadata: { finalizers: [added], ownerReferences: [owner('b')] }, spec: { size: 1 } };
      const both = done(await applyWidget(api, metadata.name, more, m2));
      expect(both.metadata.finalizers).toEqual([finalizer, added]);
      expect(both.metadata.ownerReferences).toEqual([owner('a'), owner('b')]);
      expect(owners(both)['m2/Apply']).toEqual({
        'f:metadata': { 'f:finalizers': { [`v:"${added}"`]: {} }, 'f:ownerReferences': { 'k:{"uid":"uid-b"}': {} } },
        'f:spec': { 'f:size': {} },
      });
      done(await api.http.patch(path, { metadata: { finalizers: null } }));
    },
  },
  {
    id: 'A101',
    says: 'an apply keeps fields without a known owner',
    async run(api) {
      const { metadata } = await appliedWidget(api, { spec: { size: 1, note: 'n' } }, m1);
      const path = widgets(api, metadata.name);
      const cleared = done(await api.http.patch(path, { metadata: { managedFields: [{}] } }));
      expect(cleared.metadata).not.toHaveProperty('managedFields');
      const applied = done(await applyWidget(api, metadata.name, { spec: { size: 1 } }, { manager: 'm9' }));
      expect(applied.spec).toMatchObject({ size: 1, note: 'n' });
      expect(owners(applied)).toMatchObject({
        'm9/Apply': { 'f:spec': { 'f:size': {} } },
        'before-first-apply/Update': { 'f:spec': { 'f:size': {}, 'f:note': {} } },
      });
    },
  },
];
