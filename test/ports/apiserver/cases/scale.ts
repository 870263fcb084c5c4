// The scale subresource of custom resources.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { jsonPatchType } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import {
  type Api,
  type Case,
  created,
  createWidget,
  done,
  expectInvalid,
  expectRefusal,
  type NamedCase,
  ours,
  widgets,
} from '../api-case.ts';
import { applyAt, owners } from '../applied.ts';
import { group } from '../fixtures.ts';
import { withKubectl } from '../kubectl.ts';

const scaleKind = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

async function createFleet(api: Api, spec: JsonObject = { replicas: 3 }): Promise<Unstructured> {
  const metadata = { name: freshName('fleet') };
  const body = { apiVersion: `${group}/v1`, kind: 'Fleet', metadata, spec };
  return created(await api.http.post(ours(api, 'fleets'), body, { query: { fieldManager: 'maker' } }));
}

const pathOf = (api: Api, { metadata }: Unstructured) => ours(api, 'fleets', metadata.name);
const scaleOf = (api: Api, fleet: Unstructured) => `${pathOf(api, fleet)}/scale`;
const read = async (api: Api, fleet: Unstructured) => done(await api.http.get(pathOf(api, fleet)));
const aScale = ({ metadata: { name } }: Unstructured, spec: JsonObject, metadata: JsonObject = {}) => ({
  ...scaleKind,
  metadata: { name, ...metadata },
  spec,
});
const replicasField = { 'f:spec': { 'f:replicas': {} } };

export const scaleCases: readonly NamedCase[] = [
  [
    'a Scale has the replicas of spec and status, and the selector of the object',
    async api => {
      const fleet = await createFleet(api);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = fleet.metadata;
      const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
      const first = await api.http.get(scaleOf(api, fleet));
      expect(first.status).toBe(200);
      expect(first.body).toEqual({ ...scaleKind, metadata, spec: { replicas: 3 }, status: { replicas: 0 } });
      const status = { status: { replicas: 2, selector: 'a=b' } };
      const later = done(await api.http.patch(`${pathOf(api, fleet)}/status`, status));
      expect(done(await api.http.get(scaleOf(api, fleet)))).toEqual({
        ...scaleKind,
        metadata: { ...metadata, resourceVersion: later.metadata.resourceVersion },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'a=b' },
      });
    },
  ],
  [
    'a kind without scale, and a missing object, have none',
    async api => {
      const widget = await createWidget(api);
      expectRefusal(await api.http.get(`${widgets(api, widget.metadata.name)}/scale`), 404);
      expectRefusal(await api.http.get(ours(api, 'fleets', 'absent/scale')), 404, { reason: 'NotFound' });
      expectRefusal(await api.http.patch(ours(api, 'fleets', 'absent/scale'), {}), 404, { reason: 'NotFound' });
      const fleet = await createFleet(api);
      expectRefusal(await api.http.post(scaleOf(api, fleet), aScale(fleet, { replicas: 1 })), 405);
      expectRefusal(await api.http.delete(scaleOf(api, fleet)), 405);
    },
  ],
  [
    'a patch of a Scale changes the replicas and the generation, and nothing else',
    async api => {
      const fleet = await createFleet(api, { replicas: 3, note: 'n' });
      const patch = { spec: { replicas: 5 }, status: { replicas: 9 }, metadata: { labels: { a: 'b' } } };
      const query = { fieldManager: 'scaler' };
      const scaled = done(await api.http.patch(scaleOf(api, fleet), patch, { query }));
      expect(scaled).toMatchObject({ ...scaleKind, spec: { replicas: 5 }, status: { replicas: 0 } });
      expect(scaled.metadata).not.toHaveProperty('managedFields');
      const after = await read(api, fleet);
      expect(after.metadata.resourceVersion).toBe(scaled.metadata.resourceVersion);
      expect(after).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5, note: 'n' } });
      expect(after.metadata).not.toHaveProperty('labels');
      expect(after).not.toHaveProperty('status');
      const maker = { 'f:spec': { '.': {}, 'f:note': {} } };
      expect(owners(after)).toEqual({ 'maker/Update': maker, 'scaler/Update/scale': replicasField });
      const operations = [{ op: 'replace', path: '/spec/replicas', value: 1 }];
      done(await api.http.patch(scaleOf(api, fleet), operations, { type: jsonPatchType }));
      expect((await read(api, fleet)).spec).toEqual({ replicas: 1, note: 'n' });
    },
  ],
  [
    'a PUT of a Scale needs no version, but a given version and uid must be right',
    async api => {
      const fleet = await createFleet(api);
      const put = (spec: JsonObject, metadata?: JsonObject) =>
        api.http.put(scaleOf(api, fleet), aScale(fleet, spec, metadata));
      const { uid, resourceVersion } = fleet.metadata;
      const scaled = done(await put({ replicas: 4 }, { resourceVersion, uid }));
      expect(scaled.spec).toEqual({ replicas: 4 });
      expectRefusal(await put({ replicas: 5 }, { resourceVersion }), 409, { reason: 'Conflict' });
      const other = '00000000-0000-4000-8000-000000000000';
      expectRefusal(await put({ replicas: 5 }, { uid: other }), 409, { reason: 'Conflict' });
      expect(done(await put({ replicas: 6 })).spec).toEqual({ replicas: 6 });
      expect(done(await put({})).spec).toEqual({});
      expect((await read(api, fleet)).spec).toEqual({ replicas: 0 });
      expect(done(await put({ replicas: 0 })).metadata.resourceVersion).toBe(
        (await read(api, fleet)).metadata.resourceVersion,
      );
      expectRefusal(await api.http.put(scaleOf(api, fleet), { ...fleet, spec: { replicas: 1 } }), 400);
      const renamed = aScale({ ...fleet, metadata: { ...fleet.metadata, name: 'other' } }, { replicas: 1 });
      expectRefusal(await api.http.put(scaleOf(api, fleet), renamed), 400);
    },
  ],
  [
    'replicas that are invalid for a Scale, or for the object, are refused',
    async api => {
      const fleet = await createFleet(api);
      const patched = (replicas: unknown) => api.http.patch(scaleOf(api, fleet), { spec: { replicas } });
      const negative = {
        ...{ reason: 'FieldValueInvalid', field: '.spec.replicas' },
        message: 'Invalid value: -1: should be a non-negative integer',
      };
      expectInvalid(await patched(-1), negative);
      expectInvalid(await api.http.patch(pathOf(api, fleet), { spec: { replicas: -1 } }), negative);
      const status = { status: { replicas: -1 } };
      expectInvalid(await api.http.patch(`${pathOf(api, fleet)}/status`, status), { field: '.status.replicas' });
      expectInvalid(await patched(101), { field: 'spec.replicas' });
      expectInvalid(await patched('many'), { field: 'patch' });
      const unknown = await api.http.patch(scaleOf(api, fleet), { spec: { replicas: 3, odd: 1 } });
      expect(unknown.warnings).toEqual(['299 - "unknown field \\"spec.odd\\""']);
      // kube-apiserver splits the entries of managedFields here.
      expect((await read(api, fleet)).spec).toEqual({ replicas: 3 });
    },
  ],
  [
    'the Scale of an object without replicas cannot be read, and can be set',
    async api => {
      const fleet = await createFleet(api, { note: 'n' });
      expectRefusal(await api.http.get(scaleOf(api, fleet)), 500, { reason: 'InternalError' });
      expectRefusal(await api.http.patch(scaleOf(api, fleet), {}), 400, { reason: 'BadRequest' });
      expect(done(await api.http.patch(scaleOf(api, fleet), { spec: { replicas: 2 } })).spec).toEqual({ replicas: 2 });
      expect((await read(api, fleet)).spec).toEqual({ note: 'n', replicas: 2 });
    },
  ],
  [
    'a dry run of a Scale stores nothing',
    async api => {
      const fleet = await createFleet(api);
      const query = { dryRun: 'All' };
      expect(done(await api.http.patch(scaleOf(api, fleet), { spec: { replicas: 9 } }, { query })).spec).toEqual({
        replicas: 9,
      });
      expect(await read(api, fleet)).toEqual(fleet);
    },
  ],
  [
    'an applied Scale does not change the object',
    async api => {
      const fleet = await createFleet(api);
      const query = { fieldManager: 'm1', force: 'true' };
      const refused = await applyAt(api, scaleOf(api, fleet), aScale(fleet, { replicas: 5 }), query);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(await read(api, fleet)).toEqual(fleet);
    },
  ],
  [
    'discovery names the kind of a Scale',
    async api => {
      const { body } = await api.http.get(`/apis/${group}/v1`);
      expect(body).toMatchObject({
        resources: expect.arrayContaining([
          {
            ...{ name: 'fleets/scale', singularName: '', namespaced: true, group: 'autoscaling', version: 'v1' },
            ...{ kind: 'Scale', verbs: expect.arrayContaining(['get', 'patch', 'update']) },
          },
        ]),
      });
    },
  ],
];

export const kubectlScaleCases: readonly Case[] = [
  {
    id: 'A117',
    says: 'kubectl scales an object, with and without the current replicas',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const fleet = await createFleet(api);
        const run = (line: string) =>
          kubectl([...line.split(' '), `fleet/${fleet.metadata.name}`, `--namespace=${api.namespace}`]);
        expect(await run('scale --replicas=5')).toMatchObject({ exitCode: 0 });
        expect((await read(api, fleet)).spec).toEqual({ replicas: 5 });
        expect(await run('scale --replicas=2 --current-replicas=5')).toMatchObject({ exitCode: 0 });
        expect((await read(api, fleet)).spec).toEqual({ replicas: 2 });
        expect((await run('scale --replicas=7 --current-replicas=5')).exitCode).toBe(1);
        expect((await read(api, fleet)).spec).toEqual({ replicas: 2 });
      });
    },
  },
];
