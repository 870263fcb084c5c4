import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  type Compatibility,
  incompatibility,
  isSameKind,
} from '../../../../../../functions/topology/plan/changes/compatible.ts';

const current: Unstructured = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'FooTemplate',
  metadata: { name: 'a', namespace: 'ns1', uid: 'u', resourceVersion: '1' },
};

function desired(change: Partial<Intent>, metadata: object = {}): Intent {
  const { apiVersion, kind } = current;
  return { apiVersion, kind, ...change, metadata: { name: 'a', namespace: 'ns1', ...metadata } };
}

const of = 'FooTemplate.infrastructure.cluster.x-k8s.io/a';
const inCluster = 'to prevent incompatible changes in the Cluster';
const name = `metadata.name: Forbidden: metadata.name of ${of} cannot be changed from "a" to "b" ${inCluster}`;
const group =
  `metadata.apiVersion: Forbidden: apiVersion.group of ${of} cannot be changed from "infrastructure.cluster.x-k8s.io" ` +
  `to "other.io" ${inCluster}`;
const kind = `metadata.kind: Forbidden: apiVersion.kind of ${of} cannot be changed from "FooTemplate" to "Bar" ${inCluster}`;
const namespace =
  `metadata.namespace: Forbidden: metadata.namespace of ${of} cannot be changed from "ns1" to "ns2" because templates ` +
  'must be in the same namespace as the Cluster';

describe('what must stay of an object in use', () => {
  const all = desired({ apiVersion: 'other.io/v1', kind: 'Bar' }, { name: 'b', namespace: 'ns2' });

  it.each<[must: Compatibility, problem: string, reason: string]>([
    ['strict', `[${name}, ${group}, ${kind}, ${namespace}]`, 'references to it cannot change'],
    ['sameKind', `[${group}, ${kind}, ${namespace}]`, 'a successor has another name'],
    ['sameNamespace', namespace, 'bootstrap may become another kind'],
  ])('is %s: %s, as %s', (must, problem) => {
    expect(incompatibility(must, current, all)).toBe(problem);
    expect(
      incompatibility(must, current, desired({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1' })),
    ).toBeUndefined();
  });

  it('includes the namespace of objects that have none', () => {
    const { namespace: _, ...metadata } = current.metadata;
    const nowhere = { ...desired({}), metadata: { name: 'a' } };
    expect(incompatibility('sameNamespace', { ...current, metadata }, nowhere)).toBeUndefined();
  });

  it('distinguishes another kind or group from another version', () => {
    expect(isSameKind(current, desired({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1' }))).toBe(true);
    expect(isSameKind(current, desired({ kind: 'Bar' }))).toBe(false);
    expect(isSameKind(current, desired({ apiVersion: 'other.io/v1' }))).toBe(false);
  });
});
