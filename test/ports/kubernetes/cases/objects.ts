// Creation and reads of single objects, and the content of failures.

import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { expectFailure, expectValue, freshName } from '../../answers.ts';
import { type AskWorld, aWidget, createWidget, widgetKind, widgetRef } from '../widget-objects.ts';

export function describeObjects(ask: AskWorld): void {
  it('sets uid, times, version, generation and defaults of a created object, and no status', async () => {
    const world = ask();
    const name = freshName();
    const created = await createWidget(world, { name, status: { phase: 'Faked' } });
    expect(created).toMatchObject({ ...widgetKind, metadata: { name, namespace: world.namespace, generation: 1 } });
    expect(created.metadata.uid).not.toBe('');
    expect(created.metadata.resourceVersion).not.toBe('');
    expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(created.spec).toEqual({ size: 1, mode: 'Plain' });
    expect(created.status).toBeUndefined();
  });

  it('reads back the created object', async () => {
    const { kubernetes } = ask();
    const created = await createWidget(ask(), { labels: { a: 'b' } });
    const read = expectValue(await kubernetes.get(toRef(created)));
    expect(read).toEqual(created);
  });

  it('reads an object through a parser', async () => {
    const { kubernetes } = ask();
    const created = await createWidget(ask());
    const uid = expectValue(
      await kubernetes.get(toRef(created), raw => JSON.stringify(raw).includes(created.metadata.uid)),
    );
    expect(uid).toBe(true);
  });

  it('fails with Unparsable, with the object and the problem, when a parser throws', async () => {
    const { kubernetes } = ask();
    const created = await createWidget(ask());
    const answer = await kubernetes.get(toRef(created), () => {
      throw new Error('spec.size: must be a moon');
    });
    const failure = expectFailure(answer);
    expect(failure.reason).toBe('Unparsable');
    expect(failure.message).toContain('spec.size: must be a moon');
    expect(failure.message).toContain(created.metadata.name);
  });

  it('reads only the metadata of an object', async () => {
    const { kubernetes } = ask();
    const created = await createWidget(ask(), { labels: { a: 'b' } });
    const metadata = expectValue(await kubernetes.metadata(toRef(created)));
    expect(metadata).toMatchObject({ name: created.metadata.name, uid: created.metadata.uid, labels: { a: 'b' } });
    expect(metadata).not.toHaveProperty('spec');
  });

  it('reports that an object is missing, whole or metadata', async () => {
    const { kubernetes } = ask();
    const ref = widgetRef(ask(), freshName('missing'));
    expect(expectFailure(await kubernetes.get(ref))).toMatchObject({ reason: 'NotFound', code: 404 });
    expect(expectFailure(await kubernetes.metadata(ref))).toMatchObject({ reason: 'NotFound', code: 404 });
  });

  it('reports that a kind is not served, without a statement about the object', async () => {
    const { kubernetes, namespace } = ask();
    const ref = { apiVersion: 'unserved.example.com/v1', kind: 'Ghost', namespace, name: 'g' };
    const failure = expectFailure(await kubernetes.get(ref));
    expect(failure).toMatchObject({ reason: 'NotFound', code: 404, notServed: true });
  });

  it('rejects a name that is taken', async () => {
    const { kubernetes } = ask();
    const created = await createWidget(ask());
    const again = await kubernetes.create(aWidget(ask(), { name: created.metadata.name }));
    expect(expectFailure(again)).toMatchObject({ reason: 'AlreadyExists', code: 409 });
  });

  it('fails with NotFound when the namespace of a new object does not exist', async () => {
    const { kubernetes } = ask();
    const widget = aWidget({ ...ask(), namespace: freshName('nowhere') });
    expect(expectFailure(await kubernetes.create(widget))).toMatchObject({ reason: 'NotFound', code: 404 });
  });

  it('names each invalid field', async () => {
    const { kubernetes } = ask();
    const failure = expectFailure(await kubernetes.create(aWidget(ask(), { spec: { mode: 'Loud', size: -1 } })));
    expect(failure).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(failure.causes?.map(cause => cause.slice(0, cause.indexOf(':'))).sort()).toEqual(['spec.mode', 'spec.size']);
  });

  it('stores core kinds: a Secret, an Event and a cluster-scoped Namespace', async () => {
    const { kubernetes, namespace } = ask();
    const name = freshName();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: { value: 'eA==' } };
    expect(expectValue(await kubernetes.create(secret))).toMatchObject({ ...secret, type: 'Opaque' });
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { ...widgetKind, namespace, name: 'w' },
      reason: 'Tested',
      message: 'Seen',
      type: 'Normal',
    };
    expect(expectValue(await kubernetes.create(event))).toMatchObject({
      reason: 'Tested',
      involvedObject: { name: 'w' },
    });
    const home = expectValue(await kubernetes.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }));
    expect(home).toMatchObject({ apiVersion: 'v1', kind: 'Namespace', status: { phase: 'Active' } });
  });

  it('sends nothing once its signal has aborted, and reports that', async () => {
    const { kubernetes } = ask();
    const late = kubernetes.within(AbortSignal.abort());
    const widget = aWidget(ask());
    expect(expectFailure(await late.create(widget)).reason).toBe('Aborted');
    expect(expectFailure(await late.get(widgetRef(ask(), widget.metadata.name))).reason).toBe('Aborted');
    expect(expectFailure(await kubernetes.get(widgetRef(ask(), widget.metadata.name))).reason).toBe('NotFound');
  });
}
