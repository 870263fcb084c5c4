// CRDs: when their kinds are served, in which versions, and the effect of a changed schema on stored objects.
import { expect, vi } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Case, created, createWidget, done, listed, type NamedCase, ours, widgets } from '../api-case.ts';
import { drifterWith, group, newcomerCrd } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const servedWithin = { timeout: 300_000, interval: 50 };

export const nameCases: readonly NamedCase[] = [
  [
    'a CRD whose kind is taken in its group is stored but not served',
    async api => {
      const { spec } = newcomerCrd;
      const names = { kind: 'Widget', listKind: 'PretenderList', plural: 'pretenders', singular: 'pretender' };
      const name = `pretenders.${group}`;
      created(await api.http.post(crds, { ...newcomerCrd, metadata: { name }, spec: { ...spec, names } }));
      await vi.waitFor(async () => {
        expect(done(await api.http.get(`${crds}/${name}`)).status).toMatchObject({
          acceptedNames: { plural: 'pretenders', kind: '' },
          conditions: [
            { type: 'NamesAccepted', status: 'False', reason: 'KindConflict' },
            { type: 'Established', status: 'False', reason: 'NotAccepted' },
          ],
        });
      }, servedWithin);
      expect(await api.http.get(ours(api, 'pretenders'))).toMatchObject({ status: 404, body: undefined });
      expect(await api.http.delete(`${crds}/${name}`)).toMatchObject({ status: 200 });
      await createWidget(api);
    },
  ],
];

export const definitionCases: readonly Case[] = [
  {
    id: 'A51',
    says: 'a default that is added later is in stored objects without a write',
    async run(api) {
      const body = { apiVersion: `${group}/v1`, kind: 'Drifter', metadata: { name: freshName() }, spec: { size: 1 } };
      const stored = created(await api.http.post(ours(api, 'drifters'), body));
      const changed = drifterWith({ size: { type: 'integer' }, mood: { type: 'string', default: 'calm' } });
      done(await api.http.patch(`${crds}/drifters.${group}`, { spec: changed.spec }));
      await vi.waitFor(async () => {
        const shown = done(await api.http.get(ours(api, 'drifters', stored.metadata.name)));
        expect(shown).toEqual({ ...stored, spec: { size: 1, mood: 'calm' } });
      }, servedWithin);
    },
  },
  {
    id: 'A53',
    says: 'an object is the same in every served version except for its apiVersion',
    async run(api) {
      const widget = await createWidget(api);
      const { name, uid, resourceVersion } = widget.metadata;
      const path = widgets(api, name);
      const otherPath = path.replace('/v1/', '/v1alpha1/');
      expect(done(await api.http.get(otherPath))).toMatchObject({
        apiVersion: `${group}/v1alpha1`,
        kind: 'Widget',
        metadata: { uid, resourceVersion, generation: 1 },
        spec: widget.spec,
      });
      const written = done(await api.http.patch(otherPath, { spec: { note: 'from the other side' } }));
      expect(written.apiVersion).toBe(`${group}/v1alpha1`);
      expect(done(await api.http.get(path))).toMatchObject({
        apiVersion: `${group}/v1`,
        metadata: { resourceVersion: written.metadata.resourceVersion, generation: 2 },
        spec: written.spec,
      });
    },
  },
  {
    id: 'A55',
    says: 'a new CRD is soon established, discovered, and serves an empty list',
    async run(api) {
      created(await api.http.post(crds, newcomerCrd));
      const name = newcomerCrd.metadata.name;
      await vi.waitFor(async () => {
        const stored = done(await api.http.get(`${crds}/${name}`));
        expect(stored.status).toMatchObject({
          acceptedNames: { kind: 'Newcomer', plural: 'newcomers' },
          storedVersions: ['v1'],
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'NamesAccepted', status: 'True' }),
            expect.objectContaining({ type: 'Established', status: 'True' }),
          ]),
        });
        const discovered = await api.http.get(`/apis/${group}/v1`);
        expect(discovered.body).toMatchObject({
          resources: expect.arrayContaining([expect.objectContaining({ name: 'newcomers', kind: 'Newcomer' })]),
        });
        const list = await listed(api, ours(api, 'newcomers'));
        expect(list).toMatchObject({ kind: 'NewcomerList', apiVersion: `${group}/v1`, items: [] });
        expect(list.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      }, servedWithin);
    },
  },
];
