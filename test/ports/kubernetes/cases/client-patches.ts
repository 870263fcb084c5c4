// Merge patches, JSON patches, preconditions, and the rules of generation and status.

import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectFailure, expectValue, freshName } from '../../answers.ts';
import { type AskWorld, createWidget, readWidget, widgetRef } from '../widget-objects.ts';

export function describePatches(ask: AskWorld): void {
  describeMergePatches(ask);
  describeJsonPatches(ask);
  describeStatus(ask);
}

function describeMergePatches(ask: AskWorld): void {
  it('merges maps, replaces lists and removes fields that are null', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask(), {
      labels: { a: '1', b: '2' },
      spec: { note: 'n', parts: ['x', 'y'], size: 1 },
    });
    const body = { metadata: { labels: { a: null, c: '3' } }, spec: { note: null, parts: ['z'] } };
    const patched = expectValue(await kubernetes.mergePatch(toRef(widget), body));
    expect(patched.metadata.labels).toEqual({ b: '2', c: '3' });
    expect(patched.spec).toEqual({ mode: 'Plain', parts: ['z'], size: 1 });
    expect(await readWidget(ask(), widget)).toEqual(patched);
  });

  it('restores the default of a field that is set to null', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask(), { spec: { mode: 'Fancy' } });
    const patched = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { mode: null } }));
    expect(patched.spec).toEqual({ mode: 'Plain' });
  });

  it('raises the generation for a spec change and not for a label', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const labelled = expectValue(await kubernetes.mergePatch(toRef(widget), { metadata: { labels: { a: 'b' } } }));
    expect(labelled.metadata.generation).toBe(1);
    expect(labelled.metadata.resourceVersion).not.toBe(widget.metadata.resourceVersion);
    const grown = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 2 } }));
    expect(grown.metadata.generation).toBe(2);
  });

  it('keeps version and generation when a patch changes nothing', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const same = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 1 } }));
    expect(same.metadata.resourceVersion).toBe(widget.metadata.resourceVersion);
    expect(same.metadata.generation).toBe(1);
  });

  it('performs a merge patch only on the version that it names', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const lock = { resourceVersion: widget.metadata.resourceVersion };
    const first = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 2 } }, lock));
    const second = await kubernetes.mergePatch(toRef(widget), { spec: { size: 3 } }, lock);
    expect(expectFailure(second)).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(await readWidget(ask(), widget)).toEqual(first);
  });

  it('keeps both of two concurrent patches to different fields without a version', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const answers = await Promise.all([
      kubernetes.mergePatch(toRef(widget), { spec: { size: 7 } }),
      kubernetes.mergePatch(toRef(widget), { spec: { note: 'both' } }),
    ]);
    answers.map(expectValue);
    expect((await readWidget(ask(), widget)).spec).toEqual({ mode: 'Plain', size: 7, note: 'both' });
  });

  it('fails with NotFound when the patched object is missing', async () => {
    const { kubernetes } = ask();
    const answer = await kubernetes.mergePatch(widgetRef(ask(), freshName('missing')), { spec: { size: 2 } });
    expect(expectFailure(answer)).toMatchObject({ reason: 'NotFound', code: 404 });
  });

  it('rejects a patch that would make the object invalid, and changes nothing', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const failure = expectFailure(await kubernetes.mergePatch(toRef(widget), { spec: { mode: 'Loud' } }));
    expect(failure).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(failure.causes?.[0]).toMatch(/^spec\.mode: ./);
    expect(await readWidget(ask(), widget)).toEqual(widget);
  });
}

function describeJsonPatches(ask: AskWorld): void {
  it('performs a JSON patch whose test holds', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask(), { spec: { size: 1, parts: ['x'] } });
    const patched = await kubernetes.jsonPatch(toRef(widget), [
      { op: 'test', path: '/spec/size', value: 1 },
      { op: 'replace', path: '/spec/size', value: 2 },
      { op: 'add', path: '/spec/parts/-', value: 'y' },
      { op: 'add', path: '/metadata/annotations', value: { 'a.b/c': 'd' } },
    ]);
    expect(expectValue(patched)).toMatchObject({
      metadata: { annotations: { 'a.b/c': 'd' } },
      spec: { size: 2, parts: ['x', 'y'] },
    });
  });

  it('rejects a JSON patch whose test fails, and changes nothing', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const answer = await kubernetes.jsonPatch(toRef(widget), [
      { op: 'replace', path: '/spec/size', value: 2 },
      { op: 'test', path: '/spec/mode', value: 'Fancy' },
    ]);
    expect(expectFailure(answer)).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(await readWidget(ask(), widget)).toEqual(widget);
  });

  it('performs a JSON patch only on the version that it names', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const lock = { resourceVersion: widget.metadata.resourceVersion };
    const body = (size: number) => [{ op: 'replace', path: '/spec/size', value: size }] as const;
    const first = expectValue(await kubernetes.jsonPatch(toRef(widget), body(2), lock));
    const second = await kubernetes.jsonPatch(toRef(widget), body(3), lock);
    expect(expectFailure(second)).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(await readWidget(ask(), widget)).toEqual(first);
  });
}

function describeStatus(ask: AskWorld): void {
  it('writes only status through the status subresource, and keeps the generation', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const body = { metadata: { labels: { a: 'b' } }, spec: { size: 9 }, status: { phase: 'Ready', count: 1 } };
    const patched = expectValue(await kubernetes.mergePatch(toRef(widget), body, { subresource: 'status' }));
    expect(patched).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready', count: 1 } });
    expect(patched.metadata.labels).toBeUndefined();
    expect(patched.metadata.generation).toBe(1);
    expect(patched.metadata.resourceVersion).not.toBe(widget.metadata.resourceVersion);
  });

  it('ignores status in an ordinary patch', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const patched = expectValue(await kubernetes.mergePatch(toRef(widget), { status: { phase: 'Faked' } }));
    expect(patched).toEqual(widget);
  });

  it('performs a status patch only on the version that it names', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const options = { subresource: 'status', resourceVersion: widget.metadata.resourceVersion } as const;
    expectValue(await kubernetes.mergePatch(toRef(widget), { status: { phase: 'One' } }, options));
    const second = await kubernetes.mergePatch(toRef(widget), { status: { phase: 'Two' } }, options);
    expect(expectFailure(second)).toMatchObject({ reason: 'Conflict', code: 409 });
  });

  it('reports a status of the wrong type below status', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const body = { status: { count: 'many' } };
    const failure = expectFailure(await kubernetes.mergePatch(toRef(widget), body, { subresource: 'status' }));
    expect(failure.reason).toBe('Invalid');
    expect(failure.causes?.[0]).toMatch(/^status\.count: ./);
  });
}
