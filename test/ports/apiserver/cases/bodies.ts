// Request bodies that are refused, or accepted with a warning, and the details of the refusal.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { jsonPatchType } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import {
  type Api,
  aWidget,
  core,
  created,
  createWidget,
  done,
  expectInvalid,
  expectRefusal,
  type NamedCase,
  widgets,
} from '../api-case.ts';
import { group } from '../fixtures.ts';

function ofCore(kind: string, parts: JsonObject = {}): JsonObject & { readonly metadata: { readonly name: string } } {
  return { apiVersion: 'v1', kind, metadata: { name: freshName() }, ...parts };
}

function anEvent(api: Api, parts: JsonObject): JsonObject {
  const involvedObject = { apiVersion: 'v1', kind: 'Secret', namespace: api.namespace, name: 'some' };
  return ofCore('Event', { involvedObject, reason: 'Tried', message: 'It was tried', type: 'Normal', ...parts });
}

const eventTime = '2026-01-01T00:00:00.000000Z';

export const bodyCases: readonly NamedCase[] = [
  [
    'an Event with a time names its reporter and its action',
    async api => {
      const post = (parts: JsonObject) => api.http.post(core(api, 'events'), anEvent(api, { eventTime, ...parts }));
      const bare = await post({});
      for (const field of ['reportingComponent', 'reportingInstance', 'action']) {
        expectInvalid(bare, { reason: 'FieldValueRequired', field });
      }
      const reporter = { reportingComponent: 'example.com/one', reportingInstance: 'one-0', action: 'Trying' };
      expectInvalid(await post({ ...reporter, reportingComponent: 'not a name' }), { field: 'reportingComponent' });
      created(await post(reporter));
    },
  ],
  [
    'a finalizer without a domain causes one warning in custom objects, and is rejected in built-in ones',
    async api => {
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { finalizers: ['bare'] } }));
      const { name } = created(answer).metadata;
      expect(answer.warnings).toEqual([expect.stringContaining('bare')]);
      const same = await api.http.patch(widgets(api, name), { metadata: { labels: { a: 'b' } } });
      expect(same).toMatchObject({ status: 200, warnings: [] });
      const released = await api.http.patch(widgets(api, name), { metadata: { finalizers: null } });
      expect(released).toMatchObject({ status: 200, warnings: [] });
      const metadata = { name: freshName(), finalizers: ['bare'] };
      const refused = await api.http.post(core(api, 'configmaps'), ofCore('ConfigMap', { metadata }));
      expectInvalid(refused, { reason: 'FieldValueInvalid', field: 'metadata.finalizers[0]' });
    },
  ],
  [
    'null is an empty value in the data of ConfigMaps and Secrets, and removes a key in a merge patch',
    async api => {
      const post = (plural: string, body: JsonObject) => api.http.post(core(api, plural), body);
      const map = created(
        await post('configmaps', ofCore('ConfigMap', { data: { a: null, b: 'x' }, binaryData: { c: null } })),
      );
      expect(map).toMatchObject({ data: { a: '', b: 'x' }, binaryData: { c: '' } });
      const path = core(api, 'configmaps', map.metadata.name);
      expect(done(await api.http.patch(path, { data: { b: null } }))['data']).toEqual({ a: '' });
      const replaced = await api.http.put(path, ofCore('ConfigMap', { metadata: map.metadata, data: { d: null } }));
      expectRefusal(replaced, 409, { reason: 'Conflict' });
      const added = [{ op: 'add', path: '/data', value: { d: null } }];
      expect(done(await api.http.patch(path, added, { type: jsonPatchType }))['data']).toEqual({ d: '' });
      const secret = created(
        await post('secrets', ofCore('Secret', { data: { a: 'eA==', b: null }, stringData: { a: null, c: null } })),
      );
      expect(secret['data']).toEqual({ a: '', b: '', c: '' });
      const twins = await post('configmaps', ofCore('ConfigMap', { data: { a: 'x' }, binaryData: { a: null } }));
      expectInvalid(twins, { reason: 'FieldValueInvalid', field: 'data[a]' });
      const empty = created(await post('configmaps', ofCore('ConfigMap', { data: {}, binaryData: null })));
      expect([empty['data'], empty['binaryData']]).toEqual([undefined, undefined]);
      expect(created(await post('secrets', ofCore('Secret', { type: '', data: null })))['type']).toBe('Opaque');
    },
  ],
  [
    'fields of another type make the body of a built-in kind unreadable',
    async api => {
      for (const [plural, body] of [
        ['configmaps', ofCore('ConfigMap', { data: { a: 1 } })],
        ['configmaps', ofCore('ConfigMap', { data: [] })],
        ['configmaps', ofCore('ConfigMap', { immutable: 'yes' })],
        ['configmaps', ofCore('ConfigMap', { binaryData: { a: '***' } })],
        ['secrets', ofCore('Secret', { stringData: { a: 1 } })],
      ] as const) {
        const answer = await api.http.post(core(api, plural), body);
        expectRefusal(answer, 400, { reason: 'BadRequest' });
      }
      const stored = created(await api.http.post(core(api, 'configmaps'), ofCore('ConfigMap', { data: { a: 'b' } })));
      const patched = await api.http.patch(core(api, 'configmaps', stored.metadata.name), { data: { a: 1 } });
      expectInvalid(patched, { reason: 'FieldValueInvalid', field: 'patch' });
    },
  ],
  [
    'keys of data are file names',
    async api => {
      for (const [plural, kind] of [
        ['configmaps', 'ConfigMap'],
        ['secrets', 'Secret'],
      ] as const) {
        const answer = await api.http.post(core(api, plural), ofCore(kind, { data: { 'a b': '' } }));
        expectInvalid(answer, { reason: 'FieldValueInvalid', field: 'data[a b]' });
      }
    },
  ],
  [
    'a PUT without resourceVersion is rejected with the name of the resource, for /status too',
    async api => {
      const { metadata } = await createWidget(api);
      const body = aWidget({ metadata: { name: metadata.name } });
      for (const path of [widgets(api, metadata.name), `${widgets(api, metadata.name)}/status`]) {
        const answer = await api.http.put(path, body);
        expectInvalid(answer, { field: 'metadata.resourceVersion' });
        expect(answer.body).toMatchObject({ details: { name: metadata.name, group, kind: 'widgets' } });
      }
    },
  ],
];
