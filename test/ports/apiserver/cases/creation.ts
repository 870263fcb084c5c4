// Creation of objects: fields that the server sets, and refused names and metadata.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { aWidget, type Case, core, createWidget, done, expectInvalid, expectRefusal, widgets } from '../api-case.ts';
import { group } from '../fixtures.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export const creationCases: readonly Case[] = [
  {
    id: 'A01',
    says: 'a valid widget is stored with uid, time, version, generation 1, namespace and defaults',
    async run(api) {
      const widget = await createWidget(api, { spec: { size: 3 } });
      expect(widget.metadata).toMatchObject({
        namespace: api.namespace,
        uid: expect.stringMatching(uuid),
        creationTimestamp: expect.stringMatching(wholeSeconds),
        resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
        generation: 1,
      });
      expect(widget.spec).toEqual({ size: 3, mode: 'Plain', replicas: 1 });
      expect(done(await api.http.get(widgets(api, widget.metadata.name)))).toEqual(widget);
    },
  },
  {
    id: 'A02',
    says: 'the server replaces uid, times and generation of the body',
    async run(api) {
      const sent = {
        uid: '11111111-1111-4111-8111-111111111111',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        generation: 7,
      };
      const { metadata } = await createWidget(api, { metadata: sent });
      expect(metadata.uid).not.toBe(sent.uid);
      expect(metadata.creationTimestamp).not.toBe(sent.creationTimestamp);
      expect(metadata).not.toHaveProperty('deletionTimestamp');
      expect(metadata.generation).toBe(1);
    },
  },
  {
    id: 'A03',
    says: 'a name that is taken is rejected as AlreadyExists',
    async run(api) {
      const { metadata } = await createWidget(api);
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { name: metadata.name } }));
      expectRefusal(answer, 409, { reason: 'AlreadyExists', details: { group, kind: 'widgets', name: metadata.name } });
    },
  },
  {
    id: 'A04',
    says: 'generateName gives two objects different names that start with it',
    async run(api) {
      const metadata = { name: undefined, generateName: 'g-' };
      const [one, other] = [await createWidget(api, { metadata }), await createWidget(api, { metadata })];
      expect(one.metadata).toMatchObject({ name: expect.stringMatching(/^g-[a-z0-9]{5}$/), generateName: 'g-' });
      expect(other.metadata.name).toMatch(/^g-[a-z0-9]{5}$/);
      expect(other.metadata.name).not.toBe(one.metadata.name);
    },
  },
  {
    id: 'A05',
    says: 'an object without name and generateName is rejected',
    async run(api) {
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { name: undefined } }));
      expectInvalid(answer, { reason: 'FieldValueRequired', field: 'metadata.name' });
    },
  },
  {
    id: 'A06',
    says: 'a name that is not a DNS subdomain is rejected',
    async run(api) {
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { name: 'A_B' } }));
      expectInvalid(answer, { reason: 'FieldValueInvalid', field: 'metadata.name' });
      expectRefusal(answer, 422, { details: expect.objectContaining({ group, kind: 'Widget', name: 'A_B' }) });
    },
  },
  {
    id: 'A07',
    says: 'an invalid label value is rejected',
    async run(api) {
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { labels: { a: 'not valid!' } } }));
      expectInvalid(answer, { reason: 'FieldValueInvalid', field: 'metadata.labels' });
    },
  },
  {
    id: 'A08',
    says: 'another namespace in the body than in the URL is rejected',
    async run(api) {
      const answer = await api.http.post(widgets(api), aWidget({ metadata: { namespace: 'default' } }));
      expectRefusal(answer, 400, { reason: 'BadRequest' });
    },
  },
  {
    id: 'A09',
    says: 'the error of a create in a missing namespace names the namespace',
    async run(api) {
      const nowhere = { ...api, namespace: freshName('nowhere') };
      const details = { kind: 'namespaces', name: nowhere.namespace };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: freshName() } };
      for (const answer of [
        await api.http.post(widgets(nowhere), aWidget()),
        await api.http.post(core(nowhere, 'secrets'), secret),
      ]) {
        expectRefusal(answer, 404, { reason: 'NotFound', details });
      }
    },
  },
  {
    id: 'A10',
    says: 'another kind of the same group, or a missing kind, is rejected, and nothing is created',
    async run(api) {
      const name = freshName();
      const body = aWidget({ metadata: { name } });
      expectInvalid(await api.http.post(widgets(api), { ...body, kind: 'Drifter' }), {
        reason: 'FieldValueInvalid',
        field: 'kind',
      });
      for (const wrong of [{ kind: undefined }, { apiVersion: undefined }, { apiVersion: 'v1' }]) {
        const answer = await api.http.post(widgets(api), { ...body, ...wrong });
        expectRefusal(answer, 400, { reason: 'BadRequest' });
      }
      expectRefusal(await api.http.get(widgets(api, name)), 404);
    },
  },
];
