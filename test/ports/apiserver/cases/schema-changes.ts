// A changed schema ends the watches of its kind and expires their versions. Clients list again and miss nothing.
import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import { expect, vi } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, type Case, created, done, listed, ours } from '../api-case.ts';
import { followedCrd, group, informedCrd } from '../fixtures.ts';
import { lastName, Reader, readPoint } from '../replay/reader.ts';
import { install } from '../subject.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const patience = { timeout: 300_000, interval: 50 };

export const schemaChangeCases: readonly Case[] = [
  {
    id: 'A116',
    says: 'a client that reconnects, and lists again when required, ends with every object',
    async run(api) {
      await install(api, followedCrd);
      const path = ours(api, 'followeds');
      const create = (name: string) => createOf(api, followedCrd, name);
      const before = await create(freshName());
      const reader = new Reader(api, await readPoint(api, path));
      const reading = reader.readToEnd();
      await create(freshName());
      await changeSchema(api, followedCrd);
      await create(freshName());
      await api.http.delete(ours(api, 'followeds', before.metadata.name));
      await create(lastName);
      await reading;
      const fresh = await listed(api, path);
      // A real server uses the old schema for a short time, so only names and versions are compared.
      expect([...reader.objects.values()].map(versionOf).toSorted()).toEqual(fresh.items.map(versionOf).toSorted());
    },
  },
  {
    id: 'A113',
    says: 'an informer of client-node keeps a correct copy despite closed streams and expired versions',
    async run(api) {
      await install(api, informedCrd);
      const first = await createOf(api, informedCrd, freshName());
      const seen: string[] = [];
      const informer = anInformer(api);
      for (const verb of ['add', 'update', 'delete'] as const) {
        informer.on(verb, object => seen.push(`${verb} ${object.metadata?.name}`));
      }
      // client-node documents that the caller restarts an informer after an error.
      informer.on('error', () => void informer.start());
      await informer.start();
      try {
        const { name } = first.metadata;
        done(await api.http.patch(ours(api, 'informeds', name), { spec: { size: 2 } }));
        const second = await createOf(api, informedCrd, freshName());
        await changeSchema(api, informedCrd);
        const third = await createOf(api, informedCrd, freshName());
        await api.http.delete(ours(api, 'informeds', name));
        await vi.waitFor(async () => {
          const { items } = await listed(api, ours(api, 'informeds'));
          const expected = items.map(versionOf);
          const copy = informer.list().map(versionOf);
          expect(copy.toSorted()).toEqual(expected.toSorted());
          expect(expected.some(each => each.startsWith(third.metadata.name))).toBe(true);
        }, patience);
        const reported = [
          `update ${name}`,
          `delete ${name}`,
          `add ${second.metadata.name}`,
          `add ${third.metadata.name}`,
        ];
        expect(seen).toEqual(expect.arrayContaining([`add ${name}`, ...reported]));
      } finally {
        await informer.stop();
      }
    },
  },
];

function versionOf({
  metadata,
}: {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
}) {
  return `${metadata?.name}@${metadata?.resourceVersion}`;
}

async function createOf(api: Api, { spec: { names } }: typeof followedCrd, name: string) {
  const body = { apiVersion: `${group}/v1`, kind: names.kind, metadata: { name }, spec: { size: 1 } };
  return created(await api.http.post(ours(api, names.plural), body));
}

/** Resolves when the server uses the new schema. */
async function changeSchema(api: Api, crd: typeof followedCrd): Promise<void> {
  const { plural } = crd.spec.names;
  const properties = { size: { type: 'integer' }, mood: { type: 'string', default: 'calm' } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  const versions = crd.spec.versions.map(version => ({ ...version, schema }));
  done(await api.http.patch(`${crds}/${crd.metadata.name}`, { spec: { versions } }));
  await vi.waitFor(async () => {
    const { items } = await listed(api, ours(api, plural));
    expect(items.every(({ spec }) => JSON.stringify(spec).includes('calm'))).toBe(true);
  }, patience);
}

function anInformer(api: Api) {
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfigPath);
  const objects = config.makeApiClient(CustomObjectsApi);
  const { plural } = informedCrd.spec.names;
  const of = { group, version: 'v1', namespace: api.namespace, plural };
  const list = (): Promise<KubernetesListObject<KubernetesObject>> => objects.listNamespacedCustomObject(of);
  return makeInformer(config, ours(api, plural), list);
}
