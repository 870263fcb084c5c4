// Deletion: finalizers, preconditions, and writes to deleting objects.

import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectFailure, expectValue, freshName } from '../../answers.ts';
import {
  type AskWorld,
  aWidget,
  createWidget,
  type KubernetesWorld,
  readWidget,
  widgetRef,
} from '../widget-objects.ts';

const finalizer = 'conformance.example.com/hold';

export function describeDeletion(ask: AskWorld): void {
  describeFinalizers(ask);
  describePreconditions(ask);
}

function describeFinalizers(ask: AskWorld): void {
  it('removes an object without finalizers immediately', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    expect(expectValue(await kubernetes.delete(toRef(widget)))).toBeUndefined();
    expect(expectFailure(await kubernetes.get(toRef(widget))).reason).toBe('NotFound');
  });

  it('keeps an object with a finalizer, marked as deleting', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask(), { finalizers: [finalizer] });
    const deleting = expectValue(await kubernetes.delete(toRef(widget)));
    expect(deleting?.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(deleting?.metadata).toMatchObject({ uid: widget.metadata.uid, generation: 2, finalizers: [finalizer] });
    const again = expectValue(await kubernetes.delete(toRef(widget)));
    expect(again?.metadata.resourceVersion).toBe(deleting?.metadata.resourceVersion);
  });

  it('removes the object with its last finalizer', async () => {
    const { kubernetes } = ask();
    const widget = await aDeletingWidget(ask());
    const released = expectValue(await kubernetes.mergePatch(toRef(widget), { metadata: { finalizers: [] } }));
    expect(released.metadata.uid).toBe(widget.metadata.uid);
    expect(released.metadata.finalizers ?? []).toEqual([]);
    expect(expectFailure(await kubernetes.get(toRef(widget))).reason).toBe('NotFound');
  });

  it('keeps the object while one of two finalizers remains', async () => {
    const { kubernetes } = ask();
    const widget = await aDeletingWidget(ask(), [finalizer, 'conformance.example.com/other']);
    expectValue(await kubernetes.mergePatch(toRef(widget), { metadata: { finalizers: [finalizer] } }));
    expect((await readWidget(ask(), widget)).metadata.finalizers).toEqual([finalizer]);
  });

  it('rejects a new finalizer on a deleting object and reports that it is being deleted', async () => {
    const { kubernetes } = ask();
    const widget = await aDeletingWidget(ask());
    const body = { metadata: { finalizers: [finalizer, 'conformance.example.com/late'] } };
    const failure = expectFailure(await kubernetes.mergePatch(toRef(widget), body));
    expect(failure).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(failure.message).toContain('being deleted');
  });

  it('accepts spec and status changes while an object is deleting, and keeps its deletion', async () => {
    const { kubernetes } = ask();
    const widget = await aDeletingWidget(ask());
    const body = { metadata: { deletionTimestamp: null }, spec: { size: 5 } };
    const changed = expectValue(await kubernetes.mergePatch(toRef(widget), body));
    expect(changed.spec).toMatchObject({ size: 5 });
    expect(changed.metadata.deletionTimestamp).toBe(widget.metadata.deletionTimestamp);
    const status = { status: { phase: 'Deleting' } };
    const reported = expectValue(await kubernetes.mergePatch(toRef(widget), status, { subresource: 'status' }));
    expect(reported.status).toEqual({ phase: 'Deleting' });
  });

  it('rejects the name of an object that is still deleting', async () => {
    const { kubernetes } = ask();
    const widget = await aDeletingWidget(ask());
    const again = await kubernetes.create(aWidget(ask(), { name: widget.metadata.name }));
    expect(expectFailure(again).reason).toBe('AlreadyExists');
  });

  it('gives a new object under an old name another uid', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    expectValue(await kubernetes.delete(toRef(widget)));
    const next = await createWidget(ask(), { name: widget.metadata.name });
    expect(next.metadata.uid).not.toBe(widget.metadata.uid);
  });
}

function describePreconditions(ask: AskWorld): void {
  it('deletes only the object with the given uid', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const refused = await kubernetes.delete(toRef(widget), { uid: '00000000-0000-4000-8000-000000000000' });
    expect(expectFailure(refused)).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(await readWidget(ask(), widget)).toEqual(widget);
    expect(expectValue(await kubernetes.delete(toRef(widget), { uid: widget.metadata.uid }))).toBeUndefined();
  });

  it('deletes only the given version', async () => {
    const { kubernetes } = ask();
    const widget = await createWidget(ask());
    const newer = expectValue(await kubernetes.mergePatch(toRef(widget), { spec: { size: 2 } }));
    const stale = await kubernetes.delete(toRef(widget), { resourceVersion: widget.metadata.resourceVersion });
    expect(expectFailure(stale)).toMatchObject({ reason: 'Conflict', code: 409 });
    const lock = { resourceVersion: newer.metadata.resourceVersion, propagationPolicy: 'Background' } as const;
    expect(expectValue(await kubernetes.delete(toRef(widget), lock))).toBeUndefined();
  });

  it('fails with NotFound when the object is missing', async () => {
    const { kubernetes } = ask();
    const answer = await kubernetes.delete(widgetRef(ask(), freshName('missing')));
    expect(expectFailure(answer)).toMatchObject({ reason: 'NotFound', code: 404 });
  });
}

async function aDeletingWidget(
  world: KubernetesWorld,
  finalizers: readonly string[] = [finalizer],
): Promise<Unstructured> {
  const widget = await createWidget(world, { finalizers });
  const deleting = expectValue(await world.kubernetes.delete(toRef(widget)));
  if (deleting === undefined) {
    throw new Error('The finalizer did not hold the widget');
  }
  return deleting;
}
