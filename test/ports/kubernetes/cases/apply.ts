// Server-side apply and its dry run: ownership of fields, force, and writes that change nothing.

import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectFailure, expectValue, freshName } from '../../answers.ts';
import { type AskWorld, aWidget, readWidget, widgetRef } from '../widget-objects.ts';

const mine = { fieldManager: 'conformance-one', force: false } as const;
const theirs = { fieldManager: 'conformance-two', force: false } as const;

export function describeApply(ask: AskWorld): void {
  it('creates a missing object, and keeps the version when applied again', async () => {
    const { kubernetes } = ask();
    const intent = aWidget(ask(), { spec: { size: 1 } });
    const created = expectValue(await kubernetes.apply(intent, mine));
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1, mode: 'Plain' } });
    const again = expectValue(await kubernetes.apply(intent, mine));
    expect(again.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it('removes a field that its only owner no longer applies', async () => {
    const { kubernetes } = ask();
    const name = freshName();
    expectValue(await kubernetes.apply(aWidget(ask(), { name, spec: { size: 1, note: 'n' } }), mine));
    const less = expectValue(await kubernetes.apply(aWidget(ask(), { name, spec: { size: 1 } }), mine));
    expect(less.spec).toEqual({ size: 1, mode: 'Plain' });
  });

  it("rejects another owner's field without force, and takes it over with force", async () => {
    const { kubernetes } = ask();
    const name = freshName();
    const first = expectValue(await kubernetes.apply(aWidget(ask(), { name, spec: { size: 1 } }), mine));
    const other = aWidget(ask(), { name, spec: { size: 2 } });
    const failure = expectFailure(await kubernetes.apply(other, theirs));
    expect(failure).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(failure.causes).toHaveLength(1);
    expect(failure.causes?.[0]).toMatch(/^\.spec\.size: ./);
    expect(await readWidget(ask(), first)).toEqual(first);
    expect(expectValue(await kubernetes.apply(other, { ...theirs, force: true })).spec).toMatchObject({ size: 2 });
  });

  it('never creates an object that is applied with a uid', async () => {
    const { kubernetes } = ask();
    const intent = aWidget(ask());
    const uid = '00000000-0000-4000-8000-000000000000';
    expect(expectFailure(await kubernetes.apply(intent, { ...mine, uid })).reason).toBe('Conflict');
    expect(expectFailure(await kubernetes.get(widgetRef(ask(), intent.metadata.name))).reason).toBe('NotFound');
  });

  it('creates a missing object with onlyCreate, and never changes an existing one', async () => {
    const { kubernetes } = ask();
    const once = { ...mine, onlyCreate: true } as const;
    const intent = aWidget(ask(), { spec: { size: 1 } });
    const dry = expectValue(await kubernetes.dryRun.apply(intent, once));
    expect(dry.spec).toEqual({ size: 1, mode: 'Plain' });
    const created = expectValue(await kubernetes.apply(intent, once));
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1, mode: 'Plain' } });
    const { name } = intent.metadata;
    for (const again of [intent, aWidget(ask(), { name, spec: { size: 2 } })]) {
      for (const options of [once, { ...once, ...theirs, force: true }]) {
        expect(expectFailure(await kubernetes.apply(again, options))).toMatchObject({ reason: 'Conflict', code: 409 });
        const tried = expectFailure(await kubernetes.dryRun.apply(again, options));
        expect(tried).toMatchObject({ reason: 'Conflict', code: 409 });
      }
    }
    expect(await readWidget(ask(), created)).toEqual(created);
  });

  it('applies one of several concurrent intents with onlyCreate', async () => {
    const { kubernetes } = ask();
    const name = freshName();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(size =>
        kubernetes.apply(aWidget(ask(), { name, spec: { size } }), { ...mine, force: true, onlyCreate: true }),
      ),
    );
    const [created, ...others] = answers.flatMap(answer => (answer.ok ? [answer.value] : []));
    expect(others).toEqual([]);
    expect(answers.flatMap(answer => (answer.ok ? [] : [answer.failure.reason]))).toEqual(Array(4).fill('Conflict'));
    expect(expectValue(await kubernetes.get(widgetRef(ask(), name)))).toEqual(created);
  });

  it('creates an object with onlyCreate again after it was deleted', async () => {
    const { kubernetes } = ask();
    const intent = aWidget(ask());
    const once = { ...mine, onlyCreate: true } as const;
    const first = expectValue(await kubernetes.apply(intent, once));
    expectValue(await kubernetes.delete(toRef(first)));
    expect(expectValue(await kubernetes.apply(intent, once)).metadata.uid).not.toBe(first.metadata.uid);
  });

  it('returns the result of an apply in a dry run, and stores nothing', async () => {
    const { kubernetes } = ask();
    const name = freshName();
    const stored = expectValue(await kubernetes.apply(aWidget(ask(), { name, spec: { size: 1 } }), mine));
    const shown = expectValue(await kubernetes.dryRun.apply(aWidget(ask(), { name, spec: { size: 2 } }), mine));
    expect(shown).toMatchObject({
      metadata: { uid: stored.metadata.uid, resourceVersion: stored.metadata.resourceVersion, generation: 2 },
      spec: { size: 2, mode: 'Plain' },
    });
    expect(expectValue(await kubernetes.get(toRef(stored)))).toEqual(stored);
  });

  it('creates nothing in a dry run', async () => {
    const { kubernetes } = ask();
    const intent = aWidget(ask(), { spec: { size: 1 } });
    expect(expectValue(await kubernetes.dryRun.apply(intent, mine)).spec).toEqual({ size: 1, mode: 'Plain' });
    expect(expectFailure(await kubernetes.get(widgetRef(ask(), intent.metadata.name))).reason).toBe('NotFound');
  });

  it('names the invalid field', async () => {
    const { kubernetes } = ask();
    const failure = expectFailure(await kubernetes.dryRun.apply(aWidget(ask(), { spec: { mode: 'Loud' } }), mine));
    expect(failure).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(failure.causes?.[0]).toMatch(/^spec\.mode: ./);
  });
}
