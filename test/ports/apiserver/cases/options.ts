// Unsupported verbs and options, and the details of the refusal.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import {
  aWidget,
  core,
  created,
  createWidget,
  expectInvalid,
  expectRefusal,
  listed,
  type NamedCase,
  widgets,
} from '../api-case.ts';
import { group } from '../fixtures.ts';

export const optionCases: readonly NamedCase[] = [
  [
    'unsupported verbs of a resource are MethodNotAllowed',
    async api => {
      const { metadata } = await createWidget(api);
      const status = `${widgets(api, metadata.name)}/status`;
      for (const answer of [await api.http.delete(status), await api.http.post(status, aWidget())]) {
        expectRefusal(answer, 405, { reason: 'MethodNotAllowed', details: { group, kind: 'widgets' } });
      }
      for (const path of ['/api/v1/namespaces', `/api/v1/namespaces/${api.namespace}/status`]) {
        expectRefusal(await api.http.delete(path), 405, { reason: 'MethodNotAllowed', details: {} });
      }
      const named = await api.http.post(core(api, 'configmaps', 'some'), {});
      expectRefusal(named, 405, { reason: 'MethodNotAllowed', details: {} });
      const everywhere = '/api/v1/configmaps';
      const across = [await api.http.post(everywhere, {}), await api.http.put(everywhere, {})];
      for (const answer of [...across, await api.http.put(core(api, 'configmaps'), {})]) {
        expectRefusal(answer, 405, { reason: 'MethodNotAllowed', details: {} });
      }
      expect(await api.http.delete(`/apis/${group}/v1/widgets`)).toMatchObject({ status: 404, body: undefined });
    },
  ],
  [
    'a POST to a custom object creates the object in the body',
    async api => {
      const path = widgets(api, freshName('url'));
      const body = aWidget();
      expect(created(await api.http.post(path, body)).metadata.name).toBe(body.metadata['name']);
      expectRefusal(await api.http.post(path, body), 409, { reason: 'AlreadyExists' });
      expect(await api.http.get(path)).toMatchObject({ status: 404 });
      const generated = created(await api.http.post(path, aWidget({ metadata: { name: '', generateName: 'made-' } })));
      expect(generated.metadata.name).toMatch(/^made-/);
      expectInvalid(await api.http.post(path, aWidget({ metadata: { name: '' } })), { field: 'metadata.name' });
    },
  ],
  [
    'a PUT or patch of a collection of custom objects lacks a name',
    async api => {
      const answers = [
        await api.http.put(widgets(api), aWidget()),
        await api.http.put(widgets(api), 'no object'),
        await api.http.patch(widgets(api), { spec: { size: 2 } }),
      ];
      for (const answer of answers) {
        expectRefusal(answer, 400, { reason: 'BadRequest', message: 'name must be provided' });
      }
      const odd = await api.http.patch(widgets(api), {}, { type: 'text/plain' });
      expectRefusal(odd, 415, { reason: 'UnsupportedMediaType' });
      for (const answer of [
        await api.http.put(`/apis/${group}/v1/widgets`, aWidget()),
        await api.http.post(`/apis/${group}/v1/widgets`, aWidget()),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: undefined });
      }
    },
  ],
  [
    'a list can have exactly an earlier version, and no later one',
    async api => {
      const labels = { set: freshName('set') };
      const earlier = await createWidget(api, { metadata: { labels } });
      await createWidget(api, { metadata: { labels } });
      const { resourceVersion } = earlier.metadata;
      const selected = { labelSelector: `set=${labels.set}`, resourceVersion };
      for (const query of [
        { ...selected, resourceVersionMatch: 'Exact' },
        { ...selected, limit: 5 },
      ]) {
        const list = await listed(api, widgets(api), { query });
        expect(list).toMatchObject({
          metadata: { resourceVersion },
          items: [{ metadata: { uid: earlier.metadata.uid } }],
        });
        expect(list.items).toHaveLength(1);
      }
      const newest = await listed(api, widgets(api), { query: { ...selected, resourceVersionMatch: 'NotOlderThan' } });
      expect(newest.items).toHaveLength(2);
      const future = { query: { resourceVersion: '999999999' } };
      for (const path of [widgets(api), widgets(api, earlier.metadata.name)]) {
        const causes = [expect.objectContaining({ reason: 'ResourceVersionTooLarge' })];
        expectRefusal(await api.http.get(path, future), 504, {
          reason: 'Timeout',
          details: { causes, retryAfterSeconds: 1 },
        });
      }
    },
  ],
  [
    'invalid options are Invalid with the kind of the options',
    async api => {
      const { metadata } = await createWidget(api);
      const path = widgets(api, metadata.name);
      const refusals = [
        ['CreateOptions', 'dryRun', await api.http.post(widgets(api), aWidget(), { query: { dryRun: 'x' } })],
        ['PatchOptions', 'fieldValidation', await api.http.patch(path, {}, { query: { fieldValidation: 'x' } })],
        ['DeleteOptions', 'propagationPolicy', await api.http.delete(path, { propagationPolicy: 'x' })],
        [
          'ListOptions',
          'resourceVersionMatch',
          await api.http.get(path.replace(/[^/]+$/, ''), {
            query: { resourceVersionMatch: 'Exact' },
          }),
        ],
      ] as const;
      for (const [kind, field, answer] of refusals) {
        const causes = [expect.objectContaining({ field })];
        expectRefusal(answer, 422, { reason: 'Invalid', details: { group: 'meta.k8s.io', kind, causes } });
        expect(answer.body).not.toHaveProperty('details.name');
      }
    },
  ],
];
