// Lists: selection, paging, metadata only.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectFailure, expectValue, freshName } from '../../answers.ts';
import { type AskWorld, createWidget, type KubernetesWorld, widgetKind, widgetQuery } from '../widget-objects.ts';

export function describeLists(ask: AskWorld): void {
  it('selects by all given labels', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const both = await createWidget(ask(), { labels: { set, color: 'red' } });
    await createWidget(ask(), { labels: { set, color: 'blue' } });
    await createWidget(ask(), { labels: { color: 'red' } });
    const found = expectValue(await kubernetes.list(widgetQuery(ask(), { labels: { set, color: 'red' } })));
    expect(found).toEqual([both]);
  });

  it('selects by label keys, whatever their values, and reads metadata only', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const red = await createWidget(ask(), { labels: { set, color: 'red' }, spec: { note: 'a' } });
    const empty = await createWidget(ask(), { labels: { set, color: '' } });
    await createWidget(ask(), { labels: { set } });
    const query = { labels: { set }, withLabels: ['color'], as: 'metadata' } as const;
    const found = expectValue(await kubernetes.list({ ...widgetQuery(ask()), ...query }));
    const byName = (a: Unstructured, b: Unstructured) => (a.metadata.name < b.metadata.name ? -1 : 1);
    expect(found.toSorted(byName)).toEqual(
      [red, empty].toSorted(byName).map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata })),
    );
  });

  it('reads no page after the one with a searched object', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    for (const color of ['red', 'blue', 'green', 'black']) {
      await createWidget(ask(), { labels: { set, color } });
    }
    const query = { ...widgetQuery(ask(), { labels: { set } }), limit: 1 };
    const all = expectValue(await kubernetes.list(query));
    expect(all).toHaveLength(4);
    const names = all.map(({ metadata }) => metadata.name);
    const until = ({ metadata }: Unstructured) => metadata.name === names[1];
    const some = expectValue(await kubernetes.list({ ...query, until }));
    expect(some.map(({ metadata }) => metadata.name)).toEqual(names.slice(0, 2));
  });

  it.each([
    { reason: 'a field of the spec', fields: { 'spec.note': 'a' }, found: ['red', 'blue'] },
    { reason: 'an absent field', fields: { 'spec.note': '' }, found: ['without'] },
    { reason: 'a value with separators', fields: { 'spec.note': 'a,b=c\\' }, found: ['special'] },
    { reason: 'fields and labels', fields: { 'spec.note': 'a' }, labels: { color: 'red' }, found: ['red'] },
    { reason: 'two fields', fields: { 'spec.note': 'a', 'metadata.name': 'other' }, found: [] },
  ])('selects by $reason', async ({ fields, labels = {}, found }) => {
    const { kubernetes } = ask();
    const set = freshName('set');
    await createWidget(ask(), { labels: { set, color: 'red' }, spec: { note: 'a' } });
    await createWidget(ask(), { labels: { set, color: 'blue' }, spec: { note: 'a' } });
    await createWidget(ask(), { labels: { set, color: 'special' }, spec: { note: 'a,b=c\\' } });
    await createWidget(ask(), { labels: { set, color: 'without' } });
    const widgets = expectValue(await kubernetes.list(widgetQuery(ask(), { labels: { set, ...labels }, fields })));
    expect(widgets.map(({ metadata }) => metadata.labels?.['color']).sort()).toEqual(found.toSorted());
  });

  it('selects one object by its name', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    await createWidget(ask());
    const fields = { 'metadata.name': widget.metadata.name };
    expect(expectValue(await kubernetes.list(widgetQuery(ask(), { fields })))).toEqual([widget]);
  });

  it('refuses a field that the kind does not support', async () => {
    const { kubernetes } = ask();
    const failure = expectFailure(await kubernetes.list(widgetQuery(ask(), { fields: { 'spec.size': '1' } })));
    expect(failure).toMatchObject({ reason: 'BadRequest', code: 400 });
    expect(failure.message).toContain('spec.size');
  });

  it('lists all namespaces when none is given, and only the given one otherwise', async () => {
    const { kubernetes, namespace } = ask();
    const set = freshName('set');
    const other = freshName('other');
    expectValue(await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } }));
    const here = await createWidget(ask(), { labels: { set } });
    const there = await createWidget({ ...ask(), namespace: other }, { labels: { set } });
    const all = expectValue(await kubernetes.list({ ...widgetKind, labels: { set } }));
    expect(uidsOf(all)).toEqual(uidsOf([here, there]));
    expect(expectValue(await kubernetes.list({ ...widgetKind, namespace, labels: { set } }))).toEqual([here]);
  });

  it('returns an empty list when nothing matches', async () => {
    const { kubernetes } = ask();
    expect(expectValue(await kubernetes.list(widgetQuery(ask(), { labels: { set: freshName('none') } })))).toEqual([]);
  });

  it('gives listed objects of core kinds their apiVersion and kind', async () => {
    const { kubernetes, namespace } = ask();
    const set = freshName('set');
    const metadata = { name: freshName(), namespace, labels: { set } };
    expectValue(await kubernetes.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: {} }));
    const secrets = expectValue(
      await kubernetes.list({ apiVersion: 'v1', kind: 'Secret', namespace, labels: { set } }),
    );
    expect(secrets).toMatchObject([{ apiVersion: 'v1', kind: 'Secret', metadata }]);
  });

  it('reads lists through a parser, and names the object that it rejects', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const widget = await createWidget(ask(), { labels: { set } });
    const query = widgetQuery(ask(), { labels: { set } });
    expect(expectValue(await kubernetes.list(query, () => 'parsed'))).toEqual(['parsed']);
    const failure = expectFailure(
      await kubernetes.list(query, () => {
        throw new Error('spec.size: must be a moon');
      }),
    );
    expect(failure.reason).toBe('Unparsable');
    expect(failure.message).toContain(widget.metadata.name);
  });

  it('fails with NotFound for a kind that is not served', async () => {
    const { kubernetes } = ask();
    const answer = await kubernetes.list({ apiVersion: 'unserved.example.com/v1', kind: 'Ghost' });
    expect(expectFailure(answer)).toMatchObject({ reason: 'NotFound', code: 404, notServed: true });
  });

  describePages(ask);
}

function describePages(ask: AskWorld): void {
  it('pages through one snapshot: each object once, all pages at one version, later objects absent', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const created = await createWidgets(ask(), 5, set);
    const query = widgetQuery(ask(), { labels: { set } });
    const signal = new AbortController().signal;
    const first = expectValue(await kubernetes.watches.page(query, { limit: 2, signal }));
    expect(first.items).toHaveLength(2);
    await createWidget(ask(), { name: `zz-${freshName()}`, labels: { set } });
    const items = [...first.items];
    const versions = [first.resourceVersion];
    for (let token = first.continue; token !== undefined; ) {
      const page = expectValue(await kubernetes.watches.page(query, { limit: 2, continue: token, signal }));
      items.push(...page.items);
      versions.push(page.resourceVersion);
      token = page.continue;
    }
    expect(uidsOf(items)).toEqual(uidsOf(created));
    expect(items).toHaveLength(5);
    expect(versions).toEqual([first.resourceVersion, first.resourceVersion, first.resourceVersion]);
  });

  it('returns only metadata under the requested kind', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const [widget] = await createWidgets(ask(), 1, set);
    const query = widgetQuery(ask(), { as: 'metadata', labels: { set } });
    const page = expectValue(await kubernetes.watches.page(query, { limit: 2, signal: new AbortController().signal }));
    expect(page.items).toHaveLength(1);
    expect(page.items[0]).toMatchObject({ ...widgetKind, metadata: { uid: widget?.metadata.uid, labels: { set } } });
    expect(page.items[0]).not.toHaveProperty('spec');
    expect(page.continue).toBeUndefined();
  });

  it('returns only the requested fields and metadata', async () => {
    const { kubernetes } = ask();
    const set = freshName('set');
    const { apiVersion, kind, metadata } = await createWidget(ask(), { labels: { set }, spec: { note: 'a', size: 3 } });
    const signal = new AbortController().signal;
    const query = { ...widgetQuery(ask(), { labels: { set } }), as: 'object', parts: ['spec.note', 'status'] } as const;
    const page = expectValue(await kubernetes.watches.page(query, { limit: 5, signal }));
    expect(page.items).toEqual([{ apiVersion, kind, metadata, spec: { note: 'a' } }]);
  });

  it('rejects a continue token that it did not issue', async () => {
    const { kubernetes } = ask();
    const signal = new AbortController().signal;
    const answer = await kubernetes.watches.page(widgetQuery(ask()), { limit: 2, continue: 'made-up', signal });
    expect(expectFailure(answer)).toMatchObject({ reason: 'BadRequest', code: 400 });
  });

  it('fails with Aborted when its signal has aborted', async () => {
    const { kubernetes } = ask();
    const answer = await kubernetes.watches.page(widgetQuery(ask()), { limit: 2, signal: AbortSignal.abort() });
    expect(expectFailure(answer).reason).toBe('Aborted');
  });
}

async function createWidgets(world: KubernetesWorld, count: number, set: string): Promise<readonly Unstructured[]> {
  const created: Unstructured[] = [];
  for (let index = 0; index < count; index += 1) {
    created.push(await createWidget(world, { labels: { set } }));
  }
  return created;
}

function uidsOf(objects: readonly Unstructured[]): readonly string[] {
  return objects.map(object => object.metadata.uid).sort();
}
