import { describe, expect, test } from 'vitest';
import type { ObjectMeta, OwnerReference, Unstructured } from '../../../../../packages/apimachinery/object.ts';
import { clusterOwner, decideOwnership } from '../../../../../packages/cluster-api/contract/owner-references.ts';

const plain = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-1' };
const controlling = { ...plain, controller: true, blockOwnerDeletion: true };
const other = { apiVersion: 'example.com/v1', kind: 'Other', name: 'o', uid: 'uid-o' };
const rival = { ...other, controller: true };
const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const label = { labels };

const owning = (hasTopology: boolean) => ({
  owner: clusterOwner({ name: 'c1', uid: 'uid-1', hasTopology }),
  clusterName: 'c1',
});
const standalone = owning(false);
const managed = owning(true);

function anInfraCluster(metadata: Partial<ObjectMeta>): Unstructured {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
    kind: 'FooCluster',
    metadata: { name: 'i1', namespace: 'ns', uid: 'uid-i1', resourceVersion: '1', ...metadata },
  };
}

function ownedBy(ownerReferences: readonly OwnerReference[]): Unstructured {
  return anInfraCluster({ ownerReferences, labels });
}

describe('an object needs no change', () => {
  test.each([
    { cluster: standalone, references: [plain], reason: 'it names its Cluster' },
    { cluster: standalone, references: [{ ...plain, controller: false }], reason: 'controller false is absent' },
    {
      cluster: standalone,
      references: [{ ...plain, blockOwnerDeletion: true }],
      reason: 'blockOwnerDeletion is ignored',
    },
    { cluster: managed, references: [controlling], reason: 'its Cluster controls it' },
    { cluster: managed, references: [{ ...plain, controller: true }], reason: 'blockOwnerDeletion is ignored' },
    { cluster: standalone, references: [rival, plain], reason: 'another owner controls it' },
  ])('$reason', ({ cluster, references }) => {
    expect(decideOwnership(ownedBy(references), cluster)).toEqual({ state: 'settled' });
  });
});

describe('an object is changed', () => {
  test.each([
    { cluster: standalone, object: anInfraCluster({}), metadata: { ownerReferences: [plain], ...label } },
    { cluster: managed, object: anInfraCluster({}), metadata: { ownerReferences: [controlling], ...label } },
  ])('when it has no owner yet: topology $cluster.hasTopology', ({ cluster, object, metadata }) => {
    expect(decideOwnership(object, cluster)).toEqual({ state: 'change', patch: { metadata } });
  });

  test.each([
    {
      cluster: standalone,
      references: [other, { ...controlling, apiVersion: 'cluster.x-k8s.io/v1beta1' }],
      result: [other, plain],
      reason: 'an older version of the reference is replaced in its place, controller off',
    },
    {
      cluster: standalone,
      references: [{ ...plain, uid: 'uid-0' }, other],
      result: [plain, other],
      reason: 'the Cluster was created again under its name',
    },
    { cluster: managed, references: [plain], result: [controlling], reason: 'the Cluster takes over control' },
    { cluster: standalone, references: [controlling], result: [plain], reason: 'the Cluster gives up control' },
    {
      cluster: standalone,
      references: [rival],
      result: [rival, plain],
      reason: 'another controller is allowed without topology',
    },
    {
      cluster: standalone,
      references: [
        { ...plain, kind: 'Other' },
        { ...plain, apiVersion: 'x/v1' },
      ],
      result: [{ ...plain, kind: 'Other' }, { ...plain, apiVersion: 'x/v1' }, plain],
      reason: 'others are not this Cluster',
    },
    {
      cluster: managed,
      references: [{ ...controlling, uid: 'uid-0' }],
      result: [controlling],
      reason: 'the Cluster itself is not a conflict',
    },
  ])('when $reason', ({ cluster, references, result }) => {
    const patch = { metadata: { ownerReferences: result } };
    expect(decideOwnership(ownedBy(references), cluster)).toEqual({ state: 'change', patch });
  });

  test.each([{ has: {} }, { has: { 'cluster.x-k8s.io/cluster-name': 'c0', other: 'x' } }])(
    'only in its label, when that is all it lacks: $has',
    ({ has }) => {
      const object = anInfraCluster({ ownerReferences: [plain], labels: has });
      expect(decideOwnership(object, standalone)).toEqual({ state: 'change', patch: { metadata: label } });
    },
  );
});

describe('an object that another Cluster owns', () => {
  const theirs = { ...plain, name: 'c2', uid: 'uid-2' };

  test.each([
    { cluster: standalone, references: [theirs], named: 'c2', reason: 'it has no reference to this Cluster' },
    { cluster: managed, references: [theirs], named: 'c2', reason: 'the same with a topology' },
    { cluster: standalone, references: [theirs, plain], named: 'c2', reason: 'its label names the other Cluster' },
    { cluster: standalone, references: [theirs], named: 'c1', reason: 'its label names this Cluster' },
  ])('is refused: $reason', ({ cluster, references, named }) => {
    const has = { 'cluster.x-k8s.io/cluster-name': named };
    expect(decideOwnership(anInfraCluster({ ownerReferences: references, labels: has }), cluster)).toEqual({
      state: 'refused',
      error: 'Object ns/i1 is already owned by Cluster c2',
    });
  });

  test('stays with the Cluster that its label names', () => {
    expect(decideOwnership(ownedBy([plain, theirs]), standalone)).toEqual({ state: 'settled' });
  });

  test('is no conflict for an owner of another kind', () => {
    const machine = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm1', uid: 'uid-m1' };
    const owner = { ...machine, name: 'm2' };
    const ownership = decideOwnership(ownedBy([theirs, machine]), { owner, clusterName: 'c1' });
    expect(ownership).toMatchObject({ state: 'change' });
  });
});

describe('an object that another controller owns', () => {
  test('is refused to a Cluster with topology', () => {
    expect(decideOwnership(ownedBy([rival]), managed)).toEqual({
      state: 'refused',
      error: 'Object ns/i1 is already owned by another Other controller o',
    });
  });

  test('is refused even if the Cluster is also an owner', () => {
    expect(decideOwnership(ownedBy([plain, rival]), managed)).toMatchObject({ state: 'refused' });
  });
});
