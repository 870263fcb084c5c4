import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { machineDeclaration } from '../../../../functions/machine/declaration.ts';
import { machineKind, machineWatches } from '../../../../functions/machine/watches.ts';
import { timestamp } from '../../../support/object-builder.ts';
import {
  aCapiCluster,
  aMachine,
  b1,
  clusterOwner,
  infraAdopted,
  md1,
  ms1,
  now,
  TestObject,
  templateOf,
} from './scenario-objects.ts';

const core = 'cluster.x-k8s.io/v1beta2';

function watchOf(kind: string) {
  const found = machineWatches.find(({ source }) => (source === 'referenced' ? source : source.kind) === kind);
  if (found === undefined) {
    throw new Error(`${kind} is not watched`);
  }
  return found;
}

const event = (object: TestObject) => ({ type: 'MODIFIED', object: object.build() }) as const;
const longName = 'x'.repeat(64);

describe('the watches of the Machine reconciler', () => {
  it('belong to Machines, and read the kinds that Machines reference', () => {
    expect(machineDeclaration).toMatchObject({ primary: machineKind, watches: machineWatches });
    expect(machineDeclaration.references?.(aMachine().build())).toEqual([
      { group: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfig' },
      { group: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine' },
    ]);
  });

  it.each<{ reason: string; object: TestObject; machines: readonly string[] }>([
    { reason: 'an object of a Machine', object: infraAdopted(), machines: ['ns/m1'] },
    { reason: 'an object without owner', object: b1(), machines: [] },
    { reason: 'an object of a Cluster', object: b1().owners(clusterOwner), machines: [] },
    {
      reason: 'an object of a Machine of another group',
      object: b1().owners({ apiVersion: 'other/v1', kind: 'Machine', name: 'm1', uid: 'u' }),
      machines: [],
    },
    {
      reason: 'a paused object',
      object: infraAdopted().annotated({ 'cluster.x-k8s.io/paused': '' }),
      machines: [],
    },
  ])('map $reason', ({ object, machines }) => {
    const mapped = watchOf('referenced').map(event(object));
    expect(mapped === 'expand' ? mapped : mapped.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(
      machines,
    );
  });

  it.each<{ kind: string; labels: Readonly<Record<string, string>>; name: string; isMatch: boolean }>([
    { kind: 'Cluster', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' }, name: 'c1', isMatch: true },
    { kind: 'Cluster', labels: { 'cluster.x-k8s.io/cluster-name': 'c2' }, name: 'c1', isMatch: false },
    { kind: 'MachineSet', labels: { 'cluster.x-k8s.io/set-name': 'ms1' }, name: 'ms1', isMatch: true },
    { kind: 'MachineSet', labels: {}, name: 'ms1', isMatch: false },
    { kind: 'MachineSet', labels: { 'cluster.x-k8s.io/set-name': 'hash_0ZsaxQ_z' }, name: longName, isMatch: true },
    { kind: 'MachineDeployment', labels: { 'cluster.x-k8s.io/deployment-name': 'md1' }, name: 'md1', isMatch: true },
  ])('expand a $kind to the Machines with its label: $isMatch', ({ kind, labels, name, isMatch }) => {
    const { map, matches, scopeOf } = watchOf(kind);
    const machine = aMachine().onlyLabelled(labels);
    const source = { apiVersion: core, kind, namespace: 'ns', name };
    expect(map(event(machine))).toBe('expand');
    expect(matches?.(machine.build(), source)).toBe(isMatch);
    expect(matches?.(machine.build(), { ...source, namespace: 'other' })).toBe(false);
    const scope = scopeOf?.(source);
    expect(scope?.namespace).toBe('ns');
    expect(Object.entries(scope?.labels ?? {}).every(([key, value]) => labels[key] === value)).toBe(isMatch);
  });

  it('list all Machines for a source without name, of one or of all namespaces', () => {
    const source = { apiVersion: core, kind: 'MachineSet' };
    expect(watchOf('MachineSet').scopeOf?.({ ...source, namespace: 'ns' })).toEqual({ namespace: 'ns' });
    expect(watchOf('MachineSet').scopeOf?.(source)).toEqual({});
    expect(watchOf('Cluster').matches?.(aMachine().build(), { ...source, name: 'c1' })).toBe(false);
  });
});

describe('the version of a Cluster', () => {
  const versionOf = (object: Unstructured) => watchOf('Cluster').versionOf?.(object);
  const before = versionOf(aCapiCluster().build());

  it.each<{ reason: string; cluster: TestObject | ReturnType<typeof aCapiCluster>; isNew: boolean }>([
    { reason: 'its deletion', cluster: aCapiCluster().deleting(now), isNew: true },
    { reason: 'its generation', cluster: aCapiCluster().atGeneration(7), isNew: true },
    {
      reason: 'its infrastructure',
      cluster: aCapiCluster().withStatus({ initialization: { infrastructureProvisioned: false } }),
      isNew: true,
    },
    {
      reason: 'the status of ControlPlaneInitialized',
      cluster: aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' }),
      isNew: true,
    },
    {
      reason: 'the time of RemoteConnectionProbe',
      cluster: aCapiCluster().withCondition('RemoteConnectionProbe', { lastTransitionTime: timestamp(now) }),
      isNew: true,
    },
    { reason: 'another condition', cluster: aCapiCluster().withCondition('Available'), isNew: false },
    { reason: 'a label', cluster: aCapiCluster().labelled({ a: 'b' }), isNew: false },
  ])('changes with $reason: $isNew', ({ cluster, isNew }) => {
    expect(versionOf(cluster.build()) !== before).toBe(isNew);
  });
});

describe('the content of a Cluster', () => {
  const contentOf = (object: Unstructured) => watchOf('Cluster').contentOf?.(object);
  const before = contentOf(aCapiCluster().build());

  it.each<{ reason: string; cluster: TestObject | ReturnType<typeof aCapiCluster>; isOther: boolean }>([
    { reason: 'its deletion', cluster: aCapiCluster().deleting(now), isOther: true },
    { reason: 'its pause', cluster: aCapiCluster().withSpec({ paused: true }), isOther: true },
    {
      reason: 'its control plane',
      cluster: aCapiCluster().withSpec({ controlPlaneRef: { name: 'other' } }),
      isOther: true,
    },
    { reason: 'its generation', cluster: aCapiCluster().atGeneration(7), isOther: false },
    {
      reason: 'the version of its topology',
      cluster: aCapiCluster().withSpec({ topology: { version: 'v9.0.0' } }),
      isOther: false,
    },
  ])('concerns its Machines with $reason: $isOther', ({ cluster, isOther }) => {
    expect(contentOf(cluster.build()) !== before).toBe(isOther);
  });
});

describe('the version of an owner', () => {
  it.each([
    { reason: 'its generation', change: (set: TestObject) => set.atGeneration(9), isNew: true },
    {
      reason: 'its revision',
      change: (set: TestObject) => set.annotated({ 'machinedeployment.clusters.x-k8s.io/revision': '2' }),
      isNew: true,
    },
    {
      reason: 'its MachineDeployment',
      change: (set: TestObject) => set.labelled({ 'cluster.x-k8s.io/deployment-name': 'md2' }),
      isNew: true,
    },
    { reason: 'its status', change: (set: TestObject) => set.withStatus({ replicas: 3 }), isNew: false },
    { reason: 'another annotation', change: (set: TestObject) => set.annotated({ a: 'b' }), isNew: false },
  ])('changes with $reason: $isNew', ({ change, isNew }) => {
    const { versionOf } = watchOf('MachineSet');
    expect(versionOf?.(change(ms1()).build()) !== versionOf?.(ms1().build())).toBe(isNew);
  });

  it.each([
    { reason: 'its replicas', change: (set: TestObject) => set.withSpec({ replicas: 9 }), isOther: false },
    {
      reason: 'a field that Machines get from their MachineSet',
      change: (set: TestObject) => set.withSpec({ template: templateOf({ deletion: { nodeDrainTimeoutSeconds: 9 } }) }),
      isOther: false,
    },
    {
      reason: 'the version in its template',
      change: (set: TestObject) => set.withSpec({ template: templateOf({ version: 'v9.0.0' }) }),
      isOther: true,
    },
    {
      reason: 'the infrastructure in its template',
      change: (set: TestObject) => set.withSpec({ template: templateOf({ infrastructureRef: { name: 'other' } }) }),
      isOther: true,
    },
    {
      reason: 'its revision',
      change: (set: TestObject) => set.annotated({ 'machinedeployment.clusters.x-k8s.io/revision': '2' }),
      isOther: true,
    },
    {
      reason: 'its MachineDeployment',
      change: (set: TestObject) => set.labelled({ 'cluster.x-k8s.io/deployment-name': 'md2' }),
      isOther: true,
    },
  ])('concerns the Machines of a MachineSet with $reason: $isOther', ({ change, isOther }) => {
    const { as, parts = [], contentOf } = watchOf('MachineSet');
    expect({ as, parts }).toEqual({
      as: 'object',
      parts: ['version', 'failureDomain', 'bootstrap', 'infrastructureRef'].map(field => `spec.template.spec.${field}`),
    });
    expect(contentOf?.(change(ms1()).build()) !== contentOf?.(ms1().build())).toBe(isOther);
  });

  it('is known without labels and annotations', () => {
    const bare = new TestObject({ apiVersion: core, kind: 'MachineDeployment', name: 'md1' }).build();
    const { labels: _, annotations: __, ...metadata } = bare.metadata;
    const { versionOf } = watchOf('MachineDeployment');
    expect(versionOf?.({ ...bare, metadata })).not.toBe(versionOf?.(md1().build()));
  });
});
