// @kubernetes/client-node as a second client: its generic API and its watch.
import {
  ApiException,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  Watch,
} from '@kubernetes/client-node';
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, type NamedCase, versionNow, widgetKind, widgets } from '../api-case.ts';
import { group } from '../fixtures.ts';

interface Widget extends KubernetesObject {
  spec?: { size?: number; mode?: string };
}

export const clientNodeCases: readonly NamedCase[] = [
  [
    'creates, reads, replaces, patches and deletes a widget',
    async api => {
      const { objects, widget, header } = aClient(api);
      const stored = await objects.create(widget);
      expect(stored).toMatchObject({ metadata: { namespace: api.namespace }, spec: { size: 1, mode: 'Plain' } });
      expect(await objects.read<Widget>(header)).toEqual(stored);
      const replaced = await objects.replace<Widget>({ ...stored, spec: { size: 2 } });
      expect(replaced.spec).toEqual({ size: 2, mode: 'Plain', replicas: 1 });
      const patched = await mergePatch(objects, { ...header, spec: { size: 3 } });
      expect(patched.spec).toMatchObject({ size: 3 });
      expect(await objects.delete(widget)).toMatchObject({ status: 'Success' });
      expect(await failureOf(objects.read(header))).toMatchObject({ code: 404 });
    },
  ],
  [
    'lists the objects of a label selector',
    async api => {
      const { objects, widget } = aClient(api);
      const set = freshName('set');
      const stored = await objects.create({ ...widget, metadata: { ...widget.metadata, labels: { set } } });
      const items = await select(objects, { namespace: api.namespace, labelSelector: `set=${set}` });
      expect(items).toMatchObject([{ kind: 'Widget', metadata: { uid: stored.metadata?.uid } }]);
    },
  ],
  [
    'gets the reason of a rejected request',
    async api => {
      const { objects, widget } = aClient(api);
      await objects.create(widget);
      const taken = await failureOf(objects.create(widget));
      expect(taken).toMatchObject({ code: 409 });
      expect(JSON.parse(taken.body)).toMatchObject({ reason: 'AlreadyExists', details: { group, kind: 'widgets' } });
    },
  ],
  [
    'receives creates, changes and deletions in a watch',
    async api => {
      const { config, objects, widget, header } = aClient(api);
      const set = freshName('set');
      const resourceVersion = await versionNow(api, widgets(api));
      const seen = follow(config, {
        path: widgets(api),
        count: 3,
        query: { labelSelector: `set=${set}`, resourceVersion },
      });
      await objects.create({ ...widget, metadata: { ...widget.metadata, labels: { set } } });
      await mergePatch(objects, { ...header, spec: { size: 3 } });
      await objects.delete(widget);
      expect(await seen).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    },
  ],
];

function aClient(api: Api) {
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfigPath);
  const header = { ...widgetKind, metadata: { name: freshName(), namespace: api.namespace } };
  const widget: Widget = { ...header, spec: { size: 1 } };
  return { config, objects: KubernetesObjectApi.makeApiClient(config), header, widget };
}

/** By default the generic API sends a strategic merge patch, which no server supports for kinds of CRDs. */
function mergePatch(objects: KubernetesObjectApi, patch: Widget): Promise<Widget> {
  return objects.patch(patch, undefined, undefined, 'client-node', undefined, PatchStrategy.MergePatch);
}

async function select(
  objects: KubernetesObjectApi,
  of: { readonly namespace: string; readonly labelSelector: string },
): Promise<readonly Widget[]> {
  const unused = [undefined, undefined, undefined, undefined] as const;
  const { items } = await objects.list<Widget>(
    widgetKind.apiVersion,
    widgetKind.kind,
    of.namespace,
    ...unused,
    of.labelSelector,
  );
  return items;
}

async function failureOf(call: Promise<unknown>): Promise<ApiException<string>> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ApiException);
  return failure as ApiException<string>; // true: checked in the line above; bodies of generic calls are text
}

/** Returns the types of the first events. Rejects if the stream ends earlier. */
function follow(
  config: KubeConfig,
  watch: { readonly path: string; readonly count: number; readonly query: Record<string, string> },
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const types: string[] = [];
    let stop = (): void => {};
    const onEvent = (type: string): void => {
      types.push(type);
      if (types.length === watch.count) {
        resolve(types);
        stop();
      }
    };
    const onEnd = (error: unknown): void => reject(error ?? new Error(`The watch ended after ${types.join(', ')}`));
    new Watch(config).watch(watch.path, watch.query, onEvent, onEnd).then(controller => {
      stop = () => controller.abort();
      if (types.length >= watch.count) {
        stop();
      }
    }, reject);
  });
}
