// Watches: no lost and no duplicate events, and the end of streams.

import { toRef, type Unstructured, type WatchQuery } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectValue, freshName } from '../../answers.ts';
import { type AskWorld, createWidget, type KubernetesWorld, widgetKind, widgetQuery } from '../widget-objects.ts';

interface Seen {
  readonly type: string;
  readonly object: Unstructured;
}

const finalizer = 'conformance.example.com/hold';

export function describeWatches(ask: AskWorld): void {
  it('sends changes after the given version, in order', async () => {
    const { kubernetes } = ask();
    const from = await versionNow(ask());
    const widget = await createWidget(ask());
    const grown = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 2 } }));
    expectValue(await kubernetes.delete(toRef(widget)));
    const seen = await take(ask(), { from, count: 3 });
    expect(seen.map(event => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(seen.map(event => event.object.metadata.uid)).toEqual(Array(3).fill(widget.metadata.uid));
    expect(seen[0]?.object).toEqual(widget);
    expect(seen[1]?.object).toEqual(grown);
    expect(seen[2]?.object.spec).toEqual(grown.spec);
    expect(seen[2]?.object.metadata.resourceVersion).not.toBe(grown.metadata.resourceVersion);
  });

  it('sends changes that are made while it is open', async () => {
    const from = await versionNow(ask());
    const seen = take(ask(), { from, count: 1 });
    const widget = await createWidget(ask());
    expect(await seen).toEqual([{ type: 'ADDED', object: widget }]);
  });

  it('sends the removal of the last finalizer as one deletion', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask(), { finalizers: [finalizer] });
    const from = await versionNow(ask());
    expectValue(await kubernetes.delete(toRef(widget)));
    expectValue(await kubernetes.mergePatch(toRef(widget), { metadata: { finalizers: [] } }));
    await createWidget(ask());
    const seen = await take(ask(), { from, count: 3 });
    expect(seen.map(event => event.type)).toEqual(['MODIFIED', 'DELETED', 'ADDED']);
  });

  it('sends only metadata under the requested kind', async () => {
    const from = await versionNow(ask());
    const widget = await createWidget(ask(), { labels: { a: 'b' } });
    const [event] = await take(ask(), { from, count: 1, query: { as: 'metadata' } });
    expect(event?.object).toMatchObject({ ...widgetKind, metadata: { uid: widget.metadata.uid, labels: { a: 'b' } } });
    expect(event?.object).not.toHaveProperty('spec');
  });

  it('sends only the requested fields and metadata', async () => {
    const from = await versionNow(ask());
    const { apiVersion, kind, metadata } = await createWidget(ask(), { spec: { note: 'a', size: 3 } });
    const query = { as: 'object', parts: ['spec.note', 'status'] } as const;
    const [event] = await take(ask(), { from, count: 1, query });
    expect(event?.object).toEqual({ apiVersion, kind, metadata, spec: { note: 'a' } });
  });

  it('sends an object that starts or stops to match its labels as added and deleted', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const widget = await createWidget(ask());
    const from = await versionNow(ask());
    for (const labels of [{ set }, { set, more: 'x' }, { set: 'other' }]) {
      expectValue(await kubernetes.mergePatch(toRef(widget), { metadata: { labels } }));
    }
    const seen = await take(ask(), { from, count: 3, query: { labels: { set } } });
    expect(seen.map(event => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('sends an object that starts or stops to match its fields as added and deleted', async () => {
    const { kubernetes } = ask();
    const note = freshName('note');
    const widget = await createWidget(ask());
    const from = await versionNow(ask());
    for (const spec of [{ note }, { size: 2 }, { note: 'other' }]) {
      expectValue(await kubernetes.mergePatch(toRef(widget), { spec }));
    }
    const seen = await take(ask(), { from, count: 3, query: { fields: { 'spec.note': note } } });
    expect(seen.map(event => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('sends nothing for a write that changes nothing', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const from = await versionNow(ask());
    expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 1 } }));
    const next = await createWidget(ask());
    expect(await take(ask(), { from, count: 1 })).toEqual([{ type: 'ADDED', object: next }]);
  });

  describeEnds(ask);
}

function describeEnds(ask: AskWorld): void {
  it('ends by itself, without a failure, when its time is over', async () => {
    const { kubernetes } = ask();
    const resourceVersion = await versionNow(ask());
    const query = widgetQuery(ask(), { labels: { set: freshName('quiet') } });
    const signal = new AbortController().signal;
    const types: string[] = [];
    for await (const event of kubernetes.watches.watch(query, { resourceVersion, signal, timeoutSeconds: 1 })) {
      types.push(event.type);
    }
    expect(types.filter(type => type !== 'BOOKMARK')).toEqual([]);
  });

  it('ends, without a failure, when its signal aborts', async () => {
    const { kubernetes } = ask();
    const resourceVersion = await versionNow(ask());
    const widget = await createWidget(ask());
    const controller = new AbortController();
    const types: string[] = [];
    const options = { resourceVersion, signal: controller.signal };
    for await (const event of kubernetes.watches.watch(widgetQuery(ask()), options)) {
      types.push(event.type);
      controller.abort();
      expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 2 } }));
    }
    expect(types).toEqual(['ADDED']);
  });

  it('fails as its last element when its version has expired', async () => {
    const { kubernetes } = ask();
    const options = { resourceVersion: '1', signal: new AbortController().signal };
    const seen: unknown[] = [];
    for await (const event of kubernetes.watches.watch(widgetQuery(ask()), options)) {
      seen.push(event);
    }
    expect(seen).toMatchObject([{ type: 'FAILED', failure: { reason: 'Gone', code: 410 } }]);
  });

  it('fails as its only element if the kind is not served', async () => {
    const { kubernetes } = ask();
    const query = { apiVersion: 'unserved.example.com/v1', kind: 'Ghost', as: 'metadata' } as const;
    const options = { resourceVersion: await versionNow(ask()), signal: new AbortController().signal };
    const seen: unknown[] = [];
    for await (const event of kubernetes.watches.watch(query, options)) {
      seen.push(event);
    }
    expect(seen).toMatchObject([{ type: 'FAILED', failure: { reason: 'NotFound', code: 404 } }]);
  });
}

async function versionNow(world: KubernetesWorld): Promise<string> {
  const options = { limit: 1, signal: new AbortController().signal };
  return expectValue(await world.kubernetes.watches.page(widgetQuery(world), options)).resourceVersion;
}

/** Returns the first `count` changes after `from`. Closes the stream afterwards. */
async function take(
  world: KubernetesWorld,
  options: { readonly from: string; readonly count: number; readonly query?: Partial<WatchQuery> },
): Promise<readonly Seen[]> {
  const controller = new AbortController();
  const query = widgetQuery(world, options.query);
  const seen: Seen[] = [];
  const stream = world.kubernetes.watches.watch(query, { resourceVersion: options.from, signal: controller.signal });
  for await (const event of stream) {
    if (event.type === 'FAILED') {
      throw new Error(`The watch failed: ${JSON.stringify(event.failure)}`);
    }
    if (event.type !== 'BOOKMARK') {
      seen.push(event);
    }
    if (seen.length === options.count) {
      controller.abort();
    }
  }
  return seen;
}
