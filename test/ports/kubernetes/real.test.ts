// The REST adapter against a real kube-apiserver: the conformance suite, and checks that need a real server.

import { type Intent, type Kubernetes, toRef, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { startTcpRelay } from '../../support/tcp-relay.ts';
import { createTestClient } from '../../support/test-client.ts';
import { expectFailure, expectValue, freshName } from '../answers.ts';
import { type ConformanceSubject, kubernetesConformance } from './suite.ts';
import { aWidget, type KubernetesWorld, widgetCrd, widgetKind } from './widget-objects.ts';

async function connect(plane: RealControlPlane, user = 'admin'): Promise<Kubernetes> {
  const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(user) });
  return createTestClient({ credentials, client: 'conformance' });
}

/** A CRD is served with a delay after it is stored. After a further delay, its objects can be created. */
async function install(kubernetes: Kubernetes, crd: Intent): Promise<void> {
  expectValue(await kubernetes.create(crd));
  const probe = { ...widgetKind, metadata: { name: freshName('probe'), namespace: 'default' } };
  await vi.waitFor(async () => expectValue(await kubernetes.create(probe)), { timeout: 300_000, interval: 50 });
}

async function openSubject(): Promise<ConformanceSubject> {
  const plane = await startControlPlane({ controllers: false });
  const kubernetes = await connect(plane);
  return { kubernetes, install: crd => install(kubernetes, crd), close: () => plane.stop() };
}

describeReal('the REST adapter with kube-apiserver', () => {
  kubernetesConformance('REST adapter, kube-apiserver', { open: openSubject });
});

describeReal('the REST adapter, beyond the suite', () => {
  let plane: RealControlPlane;
  let world: KubernetesWorld;

  beforeAll(async () => {
    plane = await startControlPlane({ users: [{ name: 'unprivileged' }], controllers: false });
    const kubernetes = await connect(plane);
    await install(kubernetes, widgetCrd);
    world = { kubernetes, namespace: 'default' };
  });

  afterAll(async () => {
    await plane?.stop();
  });

  it('fails with Forbidden for a user without rights, and names the refused request', async () => {
    const unprivileged = await connect(plane, 'unprivileged');
    const failure = expectFailure(await unprivileged.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'default' }));
    expect(failure).toMatchObject({ reason: 'Forbidden', code: 403 });
    expect(failure.message).toContain('secrets');
  });

  it('fails with Unauthorized for an unknown token', async () => {
    const current = await (await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('unprivileged') })).current();
    const unauthorized = createTestClient({
      client: 'conformance',
      credentials: {
        server: plane.url,
        current: async () => ({ ...current, authorization: 'Bearer invalid-token' }),
        refresh: async () => false,
      },
    });
    const failure = expectFailure(await unauthorized.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' }));
    expect(failure).toMatchObject({ reason: 'Unauthorized', code: 401 });
    expect(failure.message).not.toContain('invalid-token');
  });

  it('sets itself as the field manager of its writes', async () => {
    const created = expectValue(await world.kubernetes.create(aWidget(world)));
    expect(created.metadata).toMatchObject({ managedFields: [{ manager: 'capi-serverless', operation: 'Update' }] });
    const patched = expectValue(
      await world.kubernetes.mergePatch(toRef(created), { spec: { note: 'n' } }, { fieldManager: 'another-manager' }),
    );
    // The order is not compared, because the API server sorts the entries of one second by the managers' names.
    const managers = ['capi-serverless', 'another-manager'].map(manager => expect.objectContaining({ manager }));
    expect(patched.metadata).toMatchObject({ managedFields: expect.arrayContaining(managers) });
  });

  it('passes the propagation policy in addition to preconditions', async () => {
    const owner = expectValue(await world.kubernetes.create(aWidget(world)));
    const options = { uid: owner.metadata.uid, propagationPolicy: 'Foreground' } as const;
    const deleting = expectValue(await world.kubernetes.delete(toRef(owner), options));
    expect(deleting?.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  it('reads more objects than fit into one page', async () => {
    const set = freshName('set');
    const count = 501;
    const widgets = Array.from({ length: count }, () => aWidget(world, { labels: { set } }));
    for (const answer of await Promise.all(widgets.map(widget => world.kubernetes.create(widget)))) {
      expectValue(answer);
    }
    const listed = expectValue(await world.kubernetes.list({ ...widgetKind, labels: { set } }));
    expect(new Set(listed.map(widget => widget.metadata.uid)).size).toBe(count);
  });

  it('receives large lists compressed', async () => {
    const relay = await startTcpRelay();
    try {
      relay.target = Number(new URL(plane.url).port);
      const file = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
      const access = await file.current();
      const server = `https://127.0.0.1:${relay.port}`;
      const credentials = {
        server,
        current: async () => ({ ...access, endpoint: { ...access.endpoint, server } }),
        refresh: async () => false,
      };
      const kubernetes = createTestClient({ credentials, client: 'conformance' });
      const set = freshName('large');
      const notes = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(100_000));
      for (const note of notes) {
        expectValue(await world.kubernetes.create(aWidget(world, { labels: { set }, spec: { note } })));
      }
      const listed = expectValue(await kubernetes.list({ ...widgetKind, labels: { set } }));
      expect(listed.map(({ spec }) => valueAt(spec, 'note')).toSorted()).toEqual(notes);
      expect(relay.received).toBeLessThan(100_000);
    } finally {
      relay.close();
    }
  });
});
