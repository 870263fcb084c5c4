// Other representations of objects, and discovery.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Case, core, created, createWidget, listed, widgets } from '../api-case.ts';
import { group } from '../fixtures.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export const representationCases: readonly Case[] = [
  {
    id: 'A103',
    says: 'a table holds the name, the columns of the CRD, and only metadata of each object',
    async run(api) {
      const set = freshName('set');
      const widget = await createWidget(api, { metadata: { labels: { set } }, spec: { size: 4, mode: 'Fancy' } });
      const { name, uid } = widget.metadata;
      const query = { labelSelector: `set=${set}` };
      for (const answer of [
        await api.http.get(widgets(api), { accept: `${table},application/json`, query }),
        await api.http.get(widgets(api, name), { accept: table }),
      ]) {
        expect(answer).toMatchObject({
          status: 200,
          body: {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
            columnDefinitions: [
              { name: 'Name', type: 'string', format: 'name' },
              { name: 'Mode', type: 'string' },
              { name: 'Size', type: 'integer' },
            ],
            rows: [{ cells: [name, 'Fancy', 4], object: { kind: 'PartialObjectMetadata', metadata: { name, uid } } }],
          },
        });
        expect(answer.text).not.toContain('"spec"');
      }
    },
  },
  {
    id: 'A104',
    says: 'only metadata is returned on request, for CRDs too',
    async run(api) {
      const set = freshName('set');
      const widget = await createWidget(api, { metadata: { labels: { set } } });
      const { name, uid } = widget.metadata;
      const one = await api.http.get(widgets(api, name), { accept: partial });
      const head = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
      expect(one).toMatchObject({ status: 200, body: { ...head, metadata: { name, uid, labels: { set } } } });
      expect(Object.keys(one.body ?? {}).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
      const list = await api.http.get(widgets(api), { accept: partialList, query: { labelSelector: `set=${set}` } });
      expect(list).toMatchObject({
        status: 200,
        body: {
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { resourceVersion: expect.any(String) },
          items: [{ metadata: { name, uid } }],
        },
      });
      expect(list.text).not.toContain('"spec"');
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
      const definition = await api.http.get(path, { accept: partial });
      expect(definition).toMatchObject({ status: 200, body: { ...head, metadata: { name: `widgets.${group}` } } });
      expect(definition.text).not.toContain('"spec"');
    },
  },
  {
    id: 'A105',
    says: 'discovery lists a resource before its subresources, with verbs and short names, in both formats',
    async run(api) {
      const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
      const plain = await api.http.get(`/apis/${group}/v1`);
      const { resources } = plain.body as { resources: { name: string; verbs: readonly string[] }[] }; // true: the next assertion checks it
      const own = resources.filter(({ name }) => name.startsWith('widgets'));
      expect(own).toMatchObject([
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          shortNames: ['wdg'],
          categories: ['conformance'],
        },
        { name: 'widgets/status', namespaced: true, kind: 'Widget' },
      ]);
      expect(own[0]?.verbs.toSorted()).toEqual(verbs);
      expect(own[1]?.verbs.toSorted()).toEqual(['get', 'patch', 'update']);
      const all = await api.http.get('/apis', { accept: aggregated });
      expect(all.headers['content-type']).toBe(aggregated);
      expect(all.body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
        items: expect.arrayContaining([
          {
            metadata: expect.objectContaining({ name: group }),
            versions: [
              expect.objectContaining({
                version: 'v1',
                freshness: 'Current',
                resources: expect.arrayContaining([
                  {
                    resource: 'widgets',
                    responseKind: { group, version: 'v1', kind: 'Widget' },
                    scope: 'Namespaced',
                    singularResource: 'widget',
                    verbs: expect.arrayContaining(verbs),
                    shortNames: ['wdg'],
                    categories: ['conformance'],
                    subresources: [
                      expect.objectContaining({
                        subresource: 'status',
                        responseKind: { group, version: 'v1', kind: 'Widget' },
                        verbs: expect.arrayContaining(['get', 'patch', 'update']),
                      }),
                    ],
                  },
                ]),
              }),
              expect.objectContaining({ version: 'v1alpha1' }),
            ],
          },
        ]),
      });
    },
  },
  {
    id: 'A106',
    says: 'items of a list contain their kind if a CRD defines it, but not for built-in kinds',
    async run(api) {
      const set = freshName('set');
      const labels = { set };
      await createWidget(api, { metadata: { labels } });
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: freshName(), labels } };
      created(await api.http.post(core(api, 'secrets'), secret));
      const query = { labelSelector: `set=${set}` };
      const ours = await listed(api, widgets(api), { query });
      expect(ours.items).toMatchObject([{ apiVersion: `${group}/v1`, kind: 'Widget' }]);
      const builtIn = await listed(api, core(api, 'secrets'), { query });
      expect(builtIn).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
      expect(builtIn.items).toHaveLength(1);
      expect(builtIn.items[0]).not.toHaveProperty('kind');
      expect(builtIn.items[0]).not.toHaveProperty('apiVersion');
    },
  },
];
