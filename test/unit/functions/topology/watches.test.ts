import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { topologyDeclaration } from '../../../../functions/topology/declaration.ts';
import { topologyPrimaryWatch, topologyWatches } from '../../../../functions/topology/watches.ts';
import { aCluster } from '../../../support/builders.ts';
import { type Built, built } from '../../../support/object-builder.ts';
import { settledObjects } from '../../../support/settled-topology.ts';
import { aTopologyClass, aTopologyCluster } from '../../../support/topology-objects.ts';

function watchOf(kind: string) {
  const found = topologyWatches.find(({ source }) => (source === 'referenced' ? source : source.kind) === kind);
  if (found === undefined) {
    throw new Error(`no watch on ${kind}`);
  }
  return found;
}

function enqueues(kind: string, object: Built<Unstructured>) {
  return watchOf(kind).map({ type: 'MODIFIED', object: built(object) });
}

const c1 = [{ namespace: 'ns1', name: 'c1' }];
const { md1, mp1, infrastructureCluster, controlPlane } = settledObjects();

function labelled(object: Built<Unstructured>, labels: Readonly<Record<string, string>>): Unstructured {
  const whole = built(object);
  return { ...whole, metadata: { ...whole.metadata, labels } };
}

describe('an event of a Cluster', () => {
  const contentOf = (object: Built<Unstructured>) => topologyPrimaryWatch.contentOf?.(built(object));
  const cluster = built(aTopologyCluster());
  const change = (metadata: object, fields: object = {}): Unstructured => ({
    ...cluster,
    ...fields,
    metadata: { ...cluster.metadata, ...metadata },
  });
  const condition = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'Any' }] });

  it('enqueues its topology, if it has one', () => {
    expect(topologyPrimaryWatch.map({ type: 'MODIFIED', object: cluster })).toEqual(c1);
    expect(topologyPrimaryWatch.map({ type: 'MODIFIED', object: built(aCluster()) })).toEqual([]);
  });

  it.each([
    { reason: 'its generation', object: change({ generation: 99 }), isOther: true },
    { reason: 'a label', object: change({ labels: { a: 'b' } }), isOther: true },
    { reason: 'an annotation', object: change({ annotations: { a: 'b' } }), isOther: true },
    { reason: 'its deletion', object: change({ deletionTimestamp: '2026-01-01T00:00:00Z' }), isOther: true },
    {
      reason: 'lost managed fields',
      object: change({ managedFields: [{ manager: 'before-first-apply' }] }),
      isOther: true,
    },
    {
      reason: 'its control plane',
      object: change({}, { status: condition('ControlPlaneInitialized') }),
      isOther: true,
    },
    { reason: 'its resourceVersion', object: change({ resourceVersion: '99' }), isOther: false },
    { reason: 'a finalizer', object: change({ finalizers: ['a'] }), isOther: false },
    { reason: 'another condition', object: change({}, { status: condition('Available') }), isOther: false },
  ])('is forwarded for $reason: $isOther', ({ object, isOther }) => {
    expect(contentOf(object) !== contentOf(cluster)).toBe(isOther);
  });
});

describe('an event of an object of a topology', () => {
  const contentOf = (kind: string, object: Built<Unstructured>) => watchOf(kind).contentOf?.(built(object));
  const withStatus = (object: Built<Unstructured>, change: object, metadata: object = {}): Unstructured => {
    const whole = built(object);
    return { ...whole, metadata: { ...whole.metadata, ...metadata }, status: { ...Object(whole.status), ...change } };
  };
  const rolling = (message: string, status = 'True') => [{ type: 'RollingOut', status, reason: 'Any', message }];

  it.each([
    { reason: 'its version', object: controlPlane, change: { version: 'v9.9.9' }, isOther: true },
    { reason: 'its versions', object: controlPlane, change: { versions: [{ version: 'v9.9.9' }] }, isOther: true },
    { reason: 'its replicas', object: controlPlane, change: { replicas: 99 }, isOther: false },
    { reason: 'a label', object: controlPlane, change: {}, metadata: { labels: { a: 'b' } }, isOther: true },
    {
      reason: 'its generation',
      object: infrastructureCluster,
      change: {},
      metadata: { generation: 99 },
      isOther: true,
    },
    { reason: 'being ready', object: infrastructureCluster, change: { ready: true }, isOther: false },
  ])('that it references is forwarded for $reason: $isOther', ({ object, change, metadata, isOther }) => {
    const changed = withStatus(object, change, metadata);
    expect(contentOf('referenced', changed) !== contentOf('referenced', object)).toBe(isOther);
  });

  it.each([
    { reason: 'its replicas', change: { replicas: 99 }, isOther: true },
    { reason: 'its versions', change: { versions: [{ version: 'v9.9.9', replicas: 1 }] }, isOther: true },
    { reason: 'a condition', change: { conditions: rolling('1 of 3', 'False') }, isOther: true },
    { reason: 'a message', change: { conditions: rolling('2 of 3') }, isOther: false },
    { reason: 'its phase', change: { phase: 'Running' }, isOther: false },
  ])('that is a MachineDeployment is forwarded for $reason: $isOther', ({ change, isOther }) => {
    const before = withStatus(md1, { conditions: rolling('1 of 3') });
    const after = withStatus(before, change);
    expect(contentOf('MachineDeployment', after) !== contentOf('MachineDeployment', before)).toBe(isOther);
  });
});

describe('the events that enqueue a topology', () => {
  it.each([
    {
      reason: 'a change of its class, found by a listing',
      kind: 'ClusterClass',
      object: aTopologyClass(),
      enqueued: 'expand',
    },
    { reason: 'a MachineDeployment', kind: 'MachineDeployment', object: md1, enqueued: c1 },
    { reason: 'a MachinePool', kind: 'MachinePool', object: mp1, enqueued: c1 },
    { reason: 'its infrastructure', kind: 'referenced', object: infrastructureCluster, enqueued: c1 },
    { reason: 'its control plane', kind: 'referenced', object: controlPlane, enqueued: c1 },
    {
      reason: 'an object that is not of a topology does not',
      kind: 'MachineDeployment',
      object: labelled(md1, { 'cluster.x-k8s.io/cluster-name': 'c1' }),
      enqueued: [],
    },
    {
      reason: 'the owner decides if the label is missing',
      kind: 'referenced',
      object: labelled(controlPlane, { 'topology.cluster.x-k8s.io/owned': '' }),
      enqueued: c1,
    },
    {
      reason: 'an object without label and owner',
      kind: 'MachinePool',
      object: { ...labelled(mp1, { 'topology.cluster.x-k8s.io/owned': '' }), metadata: withoutOwners(mp1) },
      enqueued: [],
    },
    {
      reason: 'a paused object does not',
      kind: 'referenced',
      object: {
        ...built(controlPlane),
        metadata: { ...built(controlPlane).metadata, annotations: { 'cluster.x-k8s.io/paused': '' } },
      },
      enqueued: [],
    },
  ])('$reason', ({ kind, object, enqueued }) => {
    expect(enqueues(kind, object)).toEqual(enqueued);
  });

  it.each([
    { reason: 'the class it names', topology: {}, source: { namespace: 'ns1', name: 'class1' }, isEnqueued: true },
    { reason: 'not another one', topology: {}, source: { namespace: 'ns1', name: 'class2' }, isEnqueued: false },
    { reason: 'nor one elsewhere', topology: {}, source: { namespace: 'ns2', name: 'class1' }, isEnqueued: false },
    {
      reason: 'one in another namespace if the reference sets it',
      topology: { classRef: { name: 'class1', namespace: 'ns2' } },
      source: { namespace: 'ns2', name: 'class1' },
      isEnqueued: true,
    },
  ])('a class enqueues Clusters: $reason', ({ topology, source, isEnqueued }) => {
    const { matches } = watchOf('ClusterClass');
    const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', ...source };
    expect(matches?.(built(aTopologyCluster(topology)), ref)).toBe(isEnqueued);
    expect(matches?.(built(aCluster()), ref)).toBe(false);
  });

  it('runs only where managed topologies are switched on', () => {
    expect(topologyDeclaration.gate).toBe('ClusterTopology');
  });
});

function withoutOwners(object: Built<Unstructured>): Unstructured['metadata'] {
  const { ownerReferences: _, ...metadata } = built(object).metadata;
  return { ...metadata, labels: { 'topology.cluster.x-k8s.io/owned': '' } };
}
