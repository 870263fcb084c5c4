// Watches: no lost and no duplicate events, and the end of streams.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import {
  type Api,
  type Case,
  createWidget,
  done,
  eventsDuring,
  listed,
  patchWidget,
  type SeenEvent,
  widgets,
} from '../api-case.ts';

export const watchCases: readonly Case[] = [
  {
    id: 'A75',
    says: 'a watch from a list sends later creates, changes and deletions, in that order',
    async run(api) {
      const set = freshName('set');
      const { metadata } = await listed(api, widgets(api), { query: { labelSelector: `set=${set}` } });
      const widget = await createWidget(api, { metadata: { labels: { set } } });
      const changed = await patchWidget(api, widget, { spec: { size: 2 } });
      const query = { labelSelector: `set=${set}`, resourceVersion: metadata.resourceVersion };
      const seen = await eventsDuring(api, { path: widgets(api), count: 4, query }, async () => {
        expect(await api.http.delete(widgets(api, widget.metadata.name))).toMatchObject({ status: 200 });
        await createWidget(api, { metadata: { labels: { set } } });
      });
      expect(seen.map(event => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED']);
      expect(seen[0]?.object).toEqual(widget);
      expect(seen[1]?.object).toEqual(changed);
      const { resourceVersion } = seen[2]?.object.metadata ?? {};
      expect(seen[2]?.object).toEqual({ ...changed, metadata: { ...changed.metadata, resourceVersion } });
      expect(resourceVersion).not.toBe(changed.metadata.resourceVersion);
    },
  },
  {
    id: 'A76',
    says: 'a watch without a version first sends the existing objects',
    async run(api) {
      const set = freshName('set');
      const labels = { metadata: { labels: { set } } };
      const existing = [await createWidget(api, labels), await createWidget(api, labels)];
      for (const start of [{}, { resourceVersion: '0' }]) {
        const query = { labelSelector: `set=${set}`, ...start };
        const seen = await eventsDuring(api, { path: widgets(api), count: 2, query });
        expect(seen.map(event => event.type)).toEqual(['ADDED', 'ADDED']);
        expect(seen.map(uidOf).toSorted()).toEqual(existing.map(({ metadata }) => metadata.uid).toSorted());
      }
    },
  },
  {
    id: 'A77',
    says: 'a watch with a selector sends objects that start, continue and stop to match',
    async run(api) {
      const set = freshName('set');
      const widget = await createWidget(api);
      const query = { labelSelector: `set=${set}`, resourceVersion: widget.metadata.resourceVersion };
      const seen = await eventsDuring(api, { path: widgets(api), count: 4, query }, async () => {
        for (const labels of [{ set }, { more: 'x' }, { set: 'other' }, { more: 'y' }, { set }]) {
          await patchWidget(api, widget, { metadata: { labels } });
        }
      });
      expect(seen.map(event => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED']);
      expect(seen[2]?.object.metadata.labels).toEqual({ set, more: 'x' });
      expect(new Set(seen.map(event => event.object.metadata.resourceVersion)).size).toBe(4);
    },
  },
  {
    id: 'A78',
    says: 'a watch with a time limit ends by itself',
    async run(api) {
      const began = performance.now();
      const query = { labelSelector: `set=${freshName('set')}`, timeoutSeconds: 1 };
      const seen = await eventsDuring(api, { path: widgets(api), count: Number.POSITIVE_INFINITY, query });
      const seconds = (performance.now() - began) / 1000;
      expect(seen).toEqual([]);
      expect(seconds).toBeGreaterThan(0.9);
    },
  },
  {
    id: 'A79',
    says: 'a watch from an expired resource version gets an error',
    async run(api) {
      const watch = await api.http.watch(widgets(api), { query: { resourceVersion: '1', timeoutSeconds: 5 } });
      if (watch.status === 200) {
        const { value } = await watch.events.next();
        expect(value).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
        expect(await watch.events.next()).toMatchObject({ done: true });
      } else {
        expect(watch.status).toBe(410);
      }
      watch.close();
    },
  },
  {
    id: 'A80',
    says: 'a write that changes nothing and a dry run send no event',
    async run(api) {
      const widget = await createWidget(api, { spec: { size: 1 } });
      const { name, resourceVersion } = widget.metadata;
      const query = { fieldSelector: `metadata.name=${name}`, resourceVersion };
      const seen = await eventsDuring(api, { path: widgets(api), count: 1, query }, async () => {
        await patchWidget(api, widget, { spec: { size: 1 } });
        done(await api.http.put(widgets(api, name), widget));
        await dryRun(api, name);
        await patchWidget(api, widget, { spec: { size: 2 } });
      });
      expect(seen).toMatchObject([{ type: 'MODIFIED', object: { metadata: { generation: 2 }, spec: { size: 2 } } }]);
    },
  },
];

async function dryRun(api: Api, name: string): Promise<void> {
  const query = { dryRun: 'All' };
  expect(done(await api.http.patch(widgets(api, name), { spec: { size: 9 } }, { query }))).toMatchObject({
    spec: { size: 9 },
  });
  expect(await api.http.delete(widgets(api, name), undefined, { query })).toMatchObject({ status: 200 });
}

function uidOf(event: SeenEvent): string {
  return event.object.metadata.uid;
}
