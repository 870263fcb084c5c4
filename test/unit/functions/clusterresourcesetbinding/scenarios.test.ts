// The scenarios of ClusterResourceSetBindings: their Clusters, and their end.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { bindingWatches } from '../../../../functions/clusterresourcesetbinding/declaration.ts';
import { whyOfBinding } from '../../../../functions/clusterresourcesetbinding/explain.ts';
import { createBindingReconciler } from '../../../../functions/clusterresourcesetbinding/reconciler.ts';
import { aCluster } from '../../../support/builders.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { type Built, built, ObjectBuilder, testStart } from '../../../support/object-builder.ts';
import { onePass } from '../../../support/one-pass.ts';
import { resultText } from '../../../support/result-text.ts';

const paused = 'cluster.x-k8s.io/paused';
const okToDelete = 'runtime.cluster.x-k8s.io/ok-to-delete';
const owner = (
  kind: string,
  name: string,
  group = kind === 'Cluster' ? 'cluster.x-k8s.io' : 'addons.cluster.x-k8s.io',
) => ({
  apiVersion: `${group}/v1beta2`,
  kind,
  name,
  uid: name,
});

class Binding extends ObjectBuilder {
  owners(...ownerReferences: readonly ReturnType<typeof owner>[]): this {
    return this.withMetadata({ ownerReferences });
  }
}

const aBinding = (clusterName?: string): Binding =>
  new Binding({
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSetBinding',
    name: 'c1',
  }).withSpec(clusterName === undefined ? {} : { clusterName });
const ending = () => aCluster().withFinalizers('f').deleting();
const managed = () => ending().withSpec({ topology: { classRef: { name: 'k' }, version: 'v1.35.0' } });

interface BindingWorld {
  readonly cluster?: Built<Unstructured>;
  readonly honorsDeleteHook?: boolean;
  readonly readFaults?: readonly ReadFault[];
  readonly failures?: Readonly<Record<string, { readonly message: string }>>;
}

async function reconcileOnce(
  binding: Built<Unstructured>,
  { cluster, honorsDeleteHook = true, readFaults = [], failures = {} }: BindingWorld = {},
) {
  const primary = built(binding);
  const pass = await onePass(createBindingReconciler(honorsDeleteHook), primary, {
    now: testStart,
    ask: fakeReads(cluster === undefined ? [] : [cluster], readFaults),
    world: [primary],
    failures,
  });
  return { ...pass, result: resultText(pass.report.result) };
}

const deletion = 'delete ClusterResourceSetBinding ns/c1';

describe('a ClusterResourceSetBinding', () => {
  it.each<{ cluster?: Built<Unstructured>; honorsDeleteHook?: boolean; isDeleted: boolean; reason: string }>([
    { isDeleted: true, reason: 'its Cluster is missing' },
    { cluster: ending(), isDeleted: true, reason: 'its Cluster is being deleted' },
    { cluster: aCluster(), isDeleted: false, reason: 'its Cluster exists' },
    { cluster: managed(), isDeleted: false, reason: 'the deletion hook did not allow it yet' },
    {
      cluster: managed().annotated({ [okToDelete]: '' }),
      isDeleted: true,
      reason: 'the hook allowed it',
    },
    { cluster: managed(), honorsDeleteHook: false, isDeleted: true, reason: 'there are no hooks' },
  ])('is deleted ($isDeleted), as $reason', async ({ isDeleted, reason: _, ...world }) => {
    const pass = await reconcileOnce(aBinding('c1'), world);
    expect([pass.writes, pass.result]).toEqual([isDeleted ? [deletion] : [], 'done']);
  });

  it('of an old version gets the name of its Cluster, and loses its owner', async () => {
    const binding = aBinding().owners(owner('Cluster', 'c1'), owner('ClusterResourceSet', 'r1'));
    const pass = await reconcileOnce(binding, { cluster: aCluster() });
    const ownerReferences = [owner('ClusterResourceSet', 'r1')];
    expect(pass.writes).toEqual([
      `patch ClusterResourceSetBinding ns/c1 ${JSON.stringify({ metadata: { ownerReferences }, spec: { clusterName: 'c1' } })}`,
    ]);
    expect(pass.versions.get('binding:patch')).toBe('1');
  });

  it('loses the owner reference of its Cluster only', async () => {
    const others = [owner('Cluster', 'c2'), owner('Cluster', 'c1', 'other.io')];
    const pass = await reconcileOnce(aBinding('c1').owners(owner('Cluster', 'c1'), ...others));
    expect(pass.writes).toEqual([
      `patch ClusterResourceSetBinding ns/c1 ${JSON.stringify({ metadata: { ownerReferences: others } })}`,
      deletion,
    ]);
  });

  it.each([
    { owners: [owner('ClusterResourceSet', 'r1')], error: 'no cluster ownerRef' },
    { owners: [owner('Cluster', '')], error: 'ref name is empty' },
  ])('without Cluster is an error: $error', async ({ owners, error }) => {
    const pass = await reconcileOnce(aBinding().owners(...owners));
    expect([pass.writes, pass.result]).toEqual([[], `failed to find cluster name in ownerRefs: ${error}`]);
  });

  it('is kept if its Cluster cannot be read', async () => {
    const readFaults = [{ at: 'get Cluster ns/c1', message: 'boom' }];
    const pass = await reconcileOnce(aBinding('c1'), { readFaults });
    expect([pass.writes, pass.result]).toEqual([[], 'failed to get Cluster ns/c1: boom']);
  });

  it('that cannot be written is an error', async () => {
    const failures = { 'binding:delete': { message: 'boom' } };
    expect((await reconcileOnce(aBinding('c1'), { failures })).result).toBe('boom');
  });

  it('that is paused is not read further', async () => {
    const pass = createBindingReconciler(true).observe(
      aBinding('c1')
        .annotated({ [paused]: '' })
        .build(),
      fakeReads([]),
      {
        number: 1,
        now: testStart,
        signal: new AbortController().signal,
      },
    );
    expect(await pass).toEqual({ stop: 'paused' });
  });
});

describe('an event of a Cluster', () => {
  const [watch] = bindingWatches as readonly [Watch]; // true: it is declared
  const event = (type: SourceEvent['type'], cluster: Built<Unstructured>): SourceEvent => ({
    type,
    object: built(cluster),
  });
  const binding = [{ namespace: 'ns', name: 'c1' }];

  it.each([
    { type: 'MODIFIED', cluster: aCluster(), to: [], reason: 'it does not end' },
    { type: 'MODIFIED', cluster: ending(), to: binding, reason: 'its deletion begins' },
    { type: 'DELETED', cluster: aCluster(), to: binding, reason: 'it is gone' },
    { type: 'DELETED', cluster: aCluster().annotated({ [paused]: '' }), to: [], reason: 'it is paused' },
    { type: 'DELETED', cluster: aCluster().clusterScoped(), to: [{ namespace: '', name: 'c1' }], reason: 'it is gone' },
  ] as const)('$type enqueues $to, as $reason', ({ type, cluster, to }) => {
    expect(watch.map(event(type, cluster))).toEqual(to);
  });

  it('that is not complete enqueues the bindings that it can concern', () => {
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns' };
    const ofName = (name: string) => watch.matches?.(aBinding('c1').build(), { ...source, name });
    expect([ofName('c1'), ofName('c2')]).toEqual([true, false]);
    expect(watch.matches?.(aBinding('c1').in('other').build(), { ...source, name: 'c1' })).toBe(false);
    expect(watch.scopeOf?.(source)).toEqual({ namespace: 'ns' });
    expect(watch.scopeOf?.({ apiVersion: source.apiVersion, kind: 'Cluster' })).toEqual({});
  });
});

describe('a plan', () => {
  it.each([
    { action: 'delete', why: 'the Cluster does not exist' },
    { action: 'patch', why: 'an older version' },
  ])('explains the $action', async ({ action: verb, why }) => {
    const pass = await reconcileOnce(aBinding('c1').owners(owner('Cluster', 'c1')));
    const action = pass.actions.find(each => each.do === verb);
    const seen = { step: 'unnamed', error: '' } as const;
    expect(action && whyOfBinding({ action, write: undefined, changedPaths: [], seen })).toContain(why);
  });
});
