// Garbage collection and namespace deletion.

import { randomUUID } from 'node:crypto';
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect, vi } from 'vitest';
import { freshName } from '../../answers.ts';
import {
  type Api,
  aWidget,
  type Case,
  core,
  created,
  createWidget,
  done,
  expectRefusal,
  widgets,
} from '../api-case.ts';
import { finalizer, group } from '../fixtures.ts';

/** A real garbage collector discovers a new kind within 30 s. */
const collectedWithin = { timeout: 300_000, interval: 100 };

export const garbageCases: readonly Case[] = [
  {
    id: 'A65',
    says: 'the dependents of a deleted object are deleted',
    async run(api) {
      const parent = await createWidget(api);
      const child = await createSecret(api, { ownerReferences: [ownedBy(parent)] });
      const widget = await createWidget(api, { metadata: { ownerReferences: [ownedBy(parent)] } });
      const options = { propagationPolicy: 'Background' };
      expect(await api.http.delete(widgets(api, parent.metadata.name), options)).toMatchObject({ status: 200 });
      await gone(api, core(api, 'secrets', child.metadata.name));
      await gone(api, widgets(api, widget.metadata.name));
    },
  },
  {
    id: 'A68',
    says: 'an object whose owners never existed is deleted; of several owners only the missing one is removed',
    async run(api) {
      const [staying, going] = [await createSecret(api), await createSecret(api)];
      const shared = await createSecret(api, { ownerReferences: [ownedBy(staying), ownedBy(going)] });
      const stray = await createSecret(api, { ownerReferences: [{ ...ownedBy(staying), uid: randomUUID() }] });
      expect(await api.http.delete(core(api, 'secrets', going.metadata.name))).toMatchObject({ status: 200 });
      await gone(api, core(api, 'secrets', stray.metadata.name));
      await vi.waitFor(async () => {
        const { metadata } = done(await api.http.get(core(api, 'secrets', shared.metadata.name)));
        expect(metadata.ownerReferences).toEqual([ownedBy(staying)]);
      }, collectedWithin);
    },
  },
  {
    id: 'A69',
    says: 'a deleting namespace accepts no new objects, is emptied, and is then removed',
    async run(api) {
      const home = { ...api, namespace: freshName('leaving') };
      const path = `/api/v1/namespaces/${home.namespace}`;
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home.namespace } };
      expect(created(await api.http.post('/api/v1/namespaces', body))).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': home.namespace } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
      const secret = await createSecret(home);
      const widget = await createWidget(home, { metadata: { finalizers: [finalizer] } });
      expect(done(await api.http.delete(path))).toMatchObject({
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: 'Terminating' },
      });
      expectRefusal(await api.http.post(widgets(home), aWidget()), 403, {
        reason: 'Forbidden',
        details: expect.objectContaining({
          causes: expect.arrayContaining([expect.objectContaining({ reason: 'NamespaceTerminating' })]),
        }),
      });
      await gone(api, core(home, 'secrets', secret.metadata.name));
      await vi.waitFor(async () => {
        const held = done(await api.http.get(widgets(home, widget.metadata.name)));
        expect(held.metadata.deletionTimestamp).toBeDefined();
      }, collectedWithin);
      await vi.waitFor(async () => {
        const { status } = done(await api.http.get(path));
        expect(status).toEqual({ phase: 'Terminating', conditions: whatRemains });
      }, collectedWithin);
      done(await api.http.patch(widgets(home, widget.metadata.name), { metadata: { finalizers: null } }));
      await gone(api, path);
    },
  },
];

const lastTransitionTime = expect.stringMatching(/Z$/);

/** The conditions of a namespace in which only a widget with a finalizer remains. */
const whatRemains = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    lastTransitionTime,
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    lastTransitionTime,
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    lastTransitionTime,
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    status: 'True',
    lastTransitionTime,
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: widgets.${group} has 1 resource instances`,
  },
  {
    type: 'NamespaceFinalizersRemaining',
    status: 'True',
    lastTransitionTime,
    reason: 'SomeFinalizersRemain',
    message: `Some content in the namespace has finalizers remaining: ${finalizer} in 1 resource instances`,
  },
];

async function createSecret(api: Api, metadata: JsonObject = {}): Promise<Unstructured> {
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: freshName('owned'), ...metadata } };
  return created(await api.http.post(core(api, 'secrets'), body));
}

function ownedBy({ apiVersion, kind, metadata }: Unstructured) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

async function gone(api: Api, path: string): Promise<void> {
  await vi.waitFor(async () => expectRefusal(await api.http.get(path), 404, { reason: 'NotFound' }), collectedWithin);
}
