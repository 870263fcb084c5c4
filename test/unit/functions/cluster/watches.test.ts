import { type PartialObject, pluralOf, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { clusterDeclaration } from '../../../../functions/cluster/declaration.ts';
import { clusterWatches } from '../../../../functions/cluster/watches.ts';
import { toWatchSet } from '../../../../shared/event-source/watch-set.ts';
import { aMachine, aMachineDeployment, aMachinePool } from '../../../support/builders.ts';
import { type Built, built } from '../../../support/object-builder.ts';
import { aFreshCluster, controlPlaneRef, cp1, i1, infraRef, withBothRefs } from './cluster-pass.ts';

const c1 = { namespace: 'ns', name: 'c1' };

function watchOf(source: string) {
  const found = clusterWatches.find(({ source: of }) => (of === 'referenced' ? of : of.kind) === source);
  if (found === undefined) {
    throw new Error(`${source} is not watched`);
  }
  return found;
}

function mapped(source: string, object: Built<Unstructured>) {
  return watchOf(source).map({ type: 'MODIFIED', object: built(object) });
}

function without(object: PartialObject, field: 'namespace' | 'labels'): Unstructured {
  const { [field]: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

describe('the watches of the Cluster reconciler', () => {
  it.each([
    { source: 'Machine', object: aMachine().controlPlane(), clusters: [c1], reason: 'a control plane Machine' },
    {
      source: 'Machine',
      object: aMachine().controlPlane().withNode('n1'),
      clusters: [c1],
      reason: 'metadata does not show that its Cluster is initialized already; the reconcile writes nothing',
    },
    {
      source: 'Machine',
      object: aMachine().ownedBy(aMachineDeployment(), { controller: true }),
      clusters: [],
      reason: 'a worker with a controller enqueues none',
    },
    {
      source: 'Machine',
      object: aMachine().ownedBy(aMachineDeployment()),
      clusters: [c1],
      reason: 'nothing else reports the state of a Machine without a controller',
    },
    {
      source: 'Machine',
      object: without(aMachine().build(), 'labels'),
      clusters: [],
      reason: 'without labels it enqueues none',
    },
    {
      source: 'MachineDeployment',
      object: aMachineDeployment(),
      clusters: [c1],
      reason: 'its label names the Cluster',
    },
    { source: 'MachinePool', object: aMachinePool(), clusters: [c1], reason: 'its label names the Cluster' },
    {
      source: 'MachinePool',
      object: without(aMachinePool().build(), 'labels'),
      clusters: [],
      reason: 'without label it enqueues none',
    },
    {
      source: 'MachinePool',
      object: without(aMachinePool().build(), 'namespace'),
      clusters: [{ namespace: '', name: 'c1' }],
      reason: 'a missing namespace is empty',
    },
    { source: 'referenced', object: i1().adopted(), clusters: [c1], reason: 'its owner reference names the Cluster' },
    {
      source: 'referenced',
      object: i1().adopted().ownedBy(aFreshCluster().named('c2')),
      clusters: [c1, { namespace: 'ns', name: 'c2' }],
      reason: 'every owner reference names a Cluster',
    },
    {
      source: 'referenced',
      object: i1(),
      clusters: 'expand',
      reason: 'without owner a list finds the Clusters',
    },
    {
      source: 'referenced',
      object: i1().ownedBy(aMachine()),
      clusters: [],
      reason: 'an object of a Machine belongs to no Cluster',
    },
    {
      source: 'referenced',
      object: i1().ownedBy({ ...aFreshCluster().build(), apiVersion: 'other.example.com/v1' }),
      clusters: 'expand',
      reason: 'a Cluster of another group does not count',
    },
    {
      source: 'referenced',
      object: i1().adopted().annotated({ 'cluster.x-k8s.io/paused': '' }),
      clusters: [],
      reason: 'a paused object enqueues none',
    },
  ])('$source: $reason', ({ source, object, clusters }) => {
    expect(mapped(source, object)).toEqual(clusters);
  });

  it('watches Clusters as objects, everything else by metadata', () => {
    const { declared } = toWatchSet([clusterDeclaration]);
    expect(declared.filter(({ as }) => as === 'object').map(({ kind }) => kind)).toEqual([
      { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' },
    ]);
  });
});

describe('the content that a Cluster reads', () => {
  const node = (change: object) => ({ nodeRef: { name: 'n1' }, nodeInfo: { kubeletVersion: 'v1' }, ...change });
  const aNode = () => aMachine().controlPlane().withStatus(node({})).withCondition('Ready', { status: 'True' });
  const counted = (change: object) => aMachineDeployment().withStatus({ replicas: 1, versions: [], ...change });

  it.each([
    { source: 'Machine', before: aNode(), after: aNode().labelled({ a: 'b' }), isNew: true, reason: 'a label' },
    {
      source: 'Machine',
      before: aNode(),
      after: aNode().withStatus(node({ nodeInfo: { kubeletVersion: 'v2' } })),
      isNew: true,
      reason: 'the version of its Node',
    },
    {
      source: 'Machine',
      before: aNode(),
      after: aNode().withCondition('Ready', { status: 'True', message: 'a' }),
      isNew: true,
      reason: 'the message of a condition that it aggregates',
    },
    {
      source: 'Machine',
      before: aNode(),
      after: aNode().withCondition('EtcdPodHealthy', { status: 'True' }),
      isNew: false,
      reason: 'a condition that it does not read',
    },
    {
      source: 'Machine',
      before: aNode(),
      after: aNode().withStatus(node({ phase: 'Running' })),
      isNew: false,
      reason: 'the phase',
    },
    {
      source: 'MachineDeployment',
      before: counted({}),
      after: counted({ replicas: 2 }),
      isNew: true,
      reason: 'a counter',
    },
    {
      source: 'MachineDeployment',
      before: counted({}),
      after: counted({}).withCondition('ScalingUp', { status: 'True' }),
      isNew: true,
      reason: 'a condition that it aggregates',
    },
    {
      source: 'MachineDeployment',
      before: counted({}),
      after: counted({}).withCondition('Remediating', { status: 'True' }),
      isNew: false,
      reason: 'a condition that it does not read',
    },
  ])('of a $source is another after a change of $reason: $isNew', ({ source, before, after, isNew }) => {
    const { contentOf, contentParts = [] } = watchOf(source);
    expect(contentOf?.(built(after)) !== contentOf?.(built(before))).toBe(isNew);
    expect(contentParts.every(path => path.startsWith('status.'))).toBe(true);
  });
});

describe('an object without owner', () => {
  const cluster = withBothRefs(aFreshCluster());

  it.each([
    { primary: cluster, source: i1(), expected: true, reason: 'named as infrastructure' },
    { primary: cluster, source: i1('v2'), expected: true, reason: 'named in any version' },
    { primary: cluster, source: cp1(), expected: true, reason: 'named as control plane' },
    { primary: cluster, source: i1().named('i2'), expected: false, reason: 'another name' },
    { primary: cluster, source: i1().in('other'), expected: false, reason: 'another namespace' },
    { primary: aFreshCluster(), source: i1(), expected: false, reason: 'without references' },
    {
      primary: aFreshCluster().withInfrastructureRef({ ...infraRef, apiGroup: 'other.example.com' }),
      source: i1(),
      expected: false,
      reason: 'another group',
    },
    {
      primary: aFreshCluster().withControlPlaneRef({ ...controlPlaneRef, kind: 'BarControlPlane' }),
      source: cp1(),
      expected: false,
      reason: 'another kind',
    },
  ])('$reason', ({ primary, source, expected }) => {
    expect(watchOf('referenced').matches?.(primary.build(), toRef(source.build()))).toBe(expected);
  });

  it('takes the resource name of a kind for the kind', () => {
    const source = toRef(i1().build());
    const byResource = { ...source, kind: pluralOf(source.kind) };
    expect(watchOf('referenced').matches?.(cluster.build(), byResource)).toBe(true);
  });

  it('compares objects without namespace too', () => {
    const primary = without(cluster.build(), 'namespace');
    const source = toRef(without(i1().build(), 'namespace'));
    expect(watchOf('referenced').matches?.(primary, source)).toBe(true);
  });
});
