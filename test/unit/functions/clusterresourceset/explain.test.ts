// What `plan` and `why` print for ClusterResourceSets.

import { type Action, blocked } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { concludeResourceSet, whyOfResourceSet } from '../../../../functions/clusterresourceset/explain.ts';
import { toManifest } from '../../../../functions/clusterresourceset/phases/manifest.ts';
import { plan } from '../../../../functions/clusterresourceset/plan.ts';
import type { ObservedClusterWork, SetResource } from '../../../../functions/clusterresourceset/seen.ts';
import {
  remediesOfResourceSet,
  waitOfResourceSet,
} from '../../../../functions/clusterresourceset/why/resource-set-wait.ts';
import { readResourceSet } from '../../../../shared/api/cluster-resource-set/reader.ts';
import { aFreshSet, aSet } from './set-objects.ts';

const set = readResourceSet(aSet().build());
const cluster = { namespace: 'ns', name: 'c1', uid: 'c1', isProbed: true };
const configMap = { kind: 'ConfigMap', name: 'cm1' } as const;
const found: SetResource = {
  ...configMap,
  state: 'found',
  metadata: { name: 'cm1', uid: 'u', resourceVersion: '1' },
  content: undefined,
};
const manifests = ['Foo', 'ConfigMap'].map(kind =>
  toManifest({ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'w' } }),
);
const idle: ObservedClusterWork = {
  cluster,
  binding: undefined,
  due: [],
  isPostponed: false,
  workload: { state: 'unneeded' },
};
const served = [{ kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true }];

const concluded = (resources: readonly SetResource[], clusters: readonly ObservedClusterWork[]) =>
  concludeResourceSet(plan({ step: 'clusters', set, resources, clusters }, 0));

describe('a plan', () => {
  it('explains each action', () => {
    const explained = (action: Action) =>
      whyOfResourceSet({ action, write: undefined, changedPaths: [], seen: blocked('e') });
    const patch = {
      onError: 'continue',
      do: 'patch',
      ref: { apiVersion: 'v1', ...configMap },
      body: {},
    } as const;
    const manifest = {
      id: 'object:c1:0:0',
      onError: 'continue',
      do: 'manifest',
      place: patch.ref,
      object: {},
      keepsExisting: true,
      target: cluster,
    } as const;
    expect(explained({ ...patch, id: 'finalizer:add' })).toContain('finalizer');
    expect(explained({ ...patch, id: 'own:ConfigMap:cm1' })).toContain('owner reference');
    expect(explained({ ...patch, id: 'binding:patch:c1' })).toContain('records');
    expect(explained({ ...patch, id: 'other' })).toBeUndefined();
    expect(explained(manifest)).toContain('not recorded as applied');
    expect(explained({ ...manifest, change: {} })).toContain('replaced');
  });

  it.each([
    { step: 'unmatched', set, error: 'boom', lines: ['Nothing is applied: boom'] },
    { step: 'blocked', set, error: 'boom', lines: ['Nothing is applied: boom'] },
    { step: 'deletion', set, bindings: [], lines: ['Objects in workload clusters stay.'] },
  ] as const)('concludes with $lines in the step $step', ({ lines, ...seen }) => {
    expect(concludeResourceSet(plan(seen, 0))).toEqual(lines);
  });

  it('concludes nothing if the pass ends early', () => {
    expect(concludeResourceSet(blocked('e'))).toEqual([]);
  });

  it('names the resources that cannot be applied', () => {
    expect(
      concluded(
        [
          { ...configMap, state: 'missing', error: 'not found' },
          { ...configMap, state: 'unreadable', error: 'boom' },
          { kind: 'Secret', name: 's1', state: 'wrongType' },
          { ...found, content: { ok: false, error: 'not YAML' } },
        ],
        [idle],
      ),
    ).toEqual([
      'ConfigMap cm1: not found',
      'ConfigMap cm1: boom',
      'Secret s1 has another type than addons.cluster.x-k8s.io/resource-set.',
      'ConfigMap cm1: not YAML',
      'Nothing is applied.',
    ]);
  });

  it('names the Clusters, and the objects that are refused', () => {
    const due = [{ ...configMap, index: 0, hash: 'h', manifests }];
    expect(concluded([found], [idle])).toEqual(['Cluster ns/c1: nothing is due.']);
    expect(concluded([found], [{ ...idle, due, workload: { state: 'down' } }])).toEqual([
      'Cluster ns/c1: the workload cluster does not answer.',
    ]);
    const discovered = new Map([['v1', { ok: true, value: served } as const]]);
    const workload = { state: 'connected', discovered, live: new Map() } as const;
    expect(concluded([found], [{ ...idle, due, isPostponed: true, workload }])).toEqual([
      'Cluster ns/c1: creating object /v1, Kind=Foo w/a: no matches for kind "Foo" in version "v1"',
      'Cluster ns/c1: further resources follow in the next pass.',
    ]);
  });
});

describe('a ClusterResourceSet', () => {
  const failing = aSet().withCondition('ResourcesApplied', { status: 'False', reason: 'NotApplied' });
  it.each([
    { object: aFreshSet(), until: 'its first reconcile', remedy: 'see whether the functions run' },
    {
      object: aFreshSet().withCondition('Paused', { status: 'True' }),
      until: 'its pause to end',
      remedy: 'remove the annotation: kubectl annotate clusterresourceset',
    },
    { object: failing, until: 'its resources to be applied', remedy: 'plan clusterresourceset ns/r1' },
    { object: failing.clusterScoped(), until: 'its resources to be applied', remedy: 'plan clusterresourceset /r1' },
    { object: aSet(), until: undefined, remedy: '' },
    { object: aSet().withCondition('ResourcesApplied'), until: undefined, remedy: '' },
  ])('waits for $until', ({ object, until, remedy }) => {
    const wait = waitOfResourceSet(object.build());
    expect(wait?.until).toBe(until);
    expect(wait === undefined ? '' : remediesOfResourceSet(object.build(), wait)[0]).toContain(remedy);
  });
});
