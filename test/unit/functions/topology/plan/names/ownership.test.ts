import type { OwnerReference, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { isOurs, namesShim } from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import { ownedByCluster, settledObjects } from '../../../../../support/settled-topology.ts';
import { aBlueprint } from '../../../../../support/topology-objects.ts';

const { cluster } = aBlueprint();
const { controlPlane, md1, mp1, md1Bootstrap } = settledObjects();
const shim = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'shim' };
const foreign: OwnerReference = { ...ownedByCluster(), uid: 'foreign' };

function owned(by: readonly OwnerReference[], of: { build(): Unstructured } = controlPlane): Unstructured {
  const object = of.build();
  return { ...object, metadata: { ...object.metadata, ownerReferences: by } };
}

function labelled(labels: Readonly<Record<string, string>>, of = controlPlane): Unstructured {
  const object = of.build();
  return { ...object, metadata: { ...object.metadata, labels } };
}

const { ownerReferences: _, ...bare } = md1.build().metadata;
const { labels: _labels, ...unlabelled } = controlPlane.build().metadata;

describe('an object under a name that we would choose', () => {
  const rows: readonly {
    readonly object: Unstructured;
    readonly topologyName?: string;
    readonly shimUid?: string;
    readonly ours: boolean;
    readonly reason: string;
  }[] = [
    { object: controlPlane.build(), ours: true, reason: 'the Cluster owns it' },
    { object: owned([foreign, ownedByCluster()]), ours: true, reason: 'the Cluster is one of its owners' },
    { object: owned([foreign]), ours: false, reason: 'a Cluster of that name owned it before' },
    { object: owned([]), ours: false, reason: 'it has no owner' },
    { object: owned([shim]), shimUid: 'shim', ours: true, reason: 'the shim owns it' },
    { object: owned([shim]), shimUid: 'other', ours: false, reason: 'an older shim owned it' },
    { object: owned([shim]), ours: false, reason: 'there is no shim' },
    { object: controlPlane.deleting().build(), ours: false, reason: 'it is being deleted' },
    { object: { ...controlPlane.build(), metadata: unlabelled }, ours: false, reason: 'it has no labels' },
    { object: labelled({ 'cluster.x-k8s.io/cluster-name': 'c1' }), ours: false, reason: 'no topology owns it' },
    {
      object: labelled({ 'cluster.x-k8s.io/cluster-name': 'c2', 'topology.cluster.x-k8s.io/owned': '' }),
      ours: false,
      reason: 'it belongs to another Cluster',
    },
    {
      object: labelled({ 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': 'true' }),
      ours: true,
      reason: 'the label may have any value',
    },
    { object: md1Bootstrap.build(), topologyName: 'md1', ours: true, reason: 'its topology is the one' },
    { object: md1Bootstrap.build(), topologyName: 'md2', ours: false, reason: 'it is of another topology' },
    { object: mp1.build(), topologyName: 'mp1', ours: true, reason: 'pools are distinguished as well' },
    { object: controlPlane.build(), topologyName: 'md1', ours: false, reason: 'it is of no topology of workers' },
    {
      object: { ...md1.build(), metadata: bare },
      topologyName: 'md1',
      ours: true,
      reason: 'MachineDeployments are made without owner',
    },
    { object: owned([], mp1), topologyName: 'mp1', ours: true, reason: 'so are MachinePools' },
    {
      object: owned([foreign], md1),
      topologyName: 'md1',
      ours: false,
      reason: 'the MachineDeployment has another owner',
    },
    { object: owned([], md1Bootstrap), topologyName: 'md1', ours: false, reason: 'templates always have an owner' },
  ];
  it.each(rows)('is ours $ours: $reason', ({ object, topologyName = '', shimUid, ours }) => {
    expect(isOurs(object, { cluster, topologyName, shimUid })).toBe(ours);
  });

  it.each([
    { owners: [shim], asks: true, reason: 'it reports that' },
    { owners: [foreign, shim], asks: true, reason: 'it is listed among others' },
    { owners: [{ ...shim, name: 'c2-shim' }], asks: false, reason: "another Cluster's shim" },
    { owners: [{ ...shim, kind: 'ConfigMap' }], asks: false, reason: 'no Secret' },
    { owners: [], asks: false, reason: 'it has no owner' },
  ])('names the shim as owner $asks: $reason', ({ owners, asks }) => {
    expect(namesShim(owned(owners), cluster)).toBe(asks);
  });

  it('names no owner where it has no list of them', () => {
    expect(namesShim({ ...md1.build(), metadata: bare }, cluster)).toBe(false);
  });
});
