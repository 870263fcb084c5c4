import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { type CleanupRules, observe } from '../../../../shared/template-cleanup/observe.ts';
import { aCluster, aMachineSet } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { fieldsOf, ObjectBuilder } from '../../../support/object-builder.ts';
import { aMachineTemplate, anOwnedDeployment, anOwnedSet, owned } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/ours';
const rules: CleanupRules = {
  finalizer,
  users: async () => ({ ok: true, value: [] }),
  dependents: () => [],
};

const object = anOwnedSet('ms1', anOwnedDeployment(), 'ms1').withFinalizers(finalizer).deleting().build();

function aDefinition(plural: string, group: string, labels: Readonly<Record<string, string>>): ObjectBuilder {
  const apiVersion = 'apiextensions.k8s.io/v1';
  const name = `${plural}.${group}`;
  return new ObjectBuilder({ apiVersion, kind: 'CustomResourceDefinition', name }).clusterScoped().labelled(labels);
}

const ofMachines = (labels: Readonly<Record<string, string>>) =>
  aDefinition('simulatedmachinetemplates', 'infrastructure.cluster.x-k8s.io', labels);

const newest = { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2' };

it.each([
  {
    objects: [ofMachines(newest), aMachineTemplate('ms1-infra')],
    dependents: { ok: true, value: [expect.objectContaining({ uid: 'uid-of-simulatedmachinetemplate-ms1-infra' })] },
    reason: 'reads them in the newest version of the contract; a template without definition is gone',
  },
  { objects: [ofMachines(newest)], dependents: { ok: true, value: [] }, reason: 'omits those that are gone' },
  { objects: [], dependents: { ok: true, value: [] }, reason: 'omits those of a removed provider' },
  {
    objects: [ofMachines({}), aMachineTemplate('ms1-infra')],
    dependents: { ok: false, error: expect.stringContaining('cannot find any versions matching contract versions') },
    reason: 'fails where no label names a version',
  },
])('finds the templates of an object: $reason', async ({ objects, dependents }) => {
  const seen = await observe(object, fakeReads([aCluster(), ...objects]), rules);
  expect(seen).toMatchObject({ step: 'cleanUp', dependents });
});

it.each([
  { labels: {}, reason: 'has no labels of a topology' },
  { labels: { ...owned, 'cluster.x-k8s.io/cluster-name': 'c2' }, reason: 'belongs to another Cluster' },
  { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' }, reason: 'is not owned by the topology' },
  {
    labels: { 'topology.cluster.x-k8s.io/owned': '', 'cluster.x-k8s.io/cluster-name': 'c1' },
    reason: 'belongs to the control plane of its Cluster',
  },
  {
    labels: { ...owned, 'topology.cluster.x-k8s.io/deployment-name': 'others' },
    reason: 'belongs to other workers of its Cluster',
  },
])('deletes no template that a user wrote into the object: it $reason', async ({ labels }) => {
  const { apiVersion, kind } = aMachineTemplate('ms1-infra').build();
  const foreign = new ObjectBuilder({ apiVersion, kind, name: 'ms1-infra' }).withSpec({}).labelled(labels);
  const seen = await observe(object, fakeReads([aCluster(), ofMachines(newest), foreign]), rules);
  expect(seen).toMatchObject({ step: 'cleanUp', dependents: { ok: true, value: [] } });
});

it('deletes no template for an object without the name of its workers', async () => {
  const { 'topology.cluster.x-k8s.io/deployment-name': _name, ...unnamed } = owned;
  const template = aMachineTemplate('ms1-infra');
  const set = new ObjectBuilder(toRef(object))
    .withSpec(fieldsOf(object.spec))
    .labelled(unnamed)
    .withFinalizers(finalizer);
  const seen = await observe(set.deleting().build(), fakeReads([aCluster(), ofMachines(newest), template]), rules);
  expect(seen).toMatchObject({ step: 'cleanUp', dependents: { ok: true, value: [] } });
});

it('neither reads nor deletes a reference to another kind than a template', async () => {
  const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name: 'c1' };
  const template = { spec: { bootstrap: { configRef: { ...ref, kind: 'Secret' } }, infrastructureRef: ref } };
  const set = aMachineSet().labelled(owned).withSpec({ clusterName: 'c1', template }).withFinalizers(finalizer);
  const reads = fakeReads([aCluster()]);
  expect(await observe(set.deleting().build(), reads, rules)).toMatchObject({ dependents: { ok: true, value: [] } });
  expect(reads.trips).toEqual([['get Cluster ns/c1']]);
});

it('finds no templates for an object that names none', async () => {
  const bare = aMachineSet().labelled(owned).withSpec({ template: {} }).withFinalizers(finalizer).deleting();
  const reads = fakeReads([aCluster()]);
  expect(await observe(bare.build(), reads, rules)).toMatchObject({ dependents: { ok: true, value: [] } });
  expect(reads.trips).toEqual([['get Cluster ns/c1']]);
});

const alive = anOwnedSet('ms1', anOwnedDeployment(), 'ms1');
const bare = new ObjectBuilder(toRef(alive.build()));

it.each([
  { of: bare, stop: 'not owned by a topology', reason: 'without labels' },
  { of: aMachineSet().deleting(), stop: 'not owned by a topology', reason: 'with other labels' },
  {
    of: alive.withFinalizers(finalizer),
    stop: 'not being deleted',
    reason: 'with the finalizer, and not being deleted',
  },
  {
    of: alive.withFinalizers('example.com/theirs').deleting(),
    stop: 'being deleted without our finalizer',
    reason: 'with the finalizer of another controller only',
  },
])('stops before any read, for an object $reason', async ({ of, stop }) => {
  const reads = fakeReads([aCluster()]);
  expect(await observe(of.build(), reads, rules)).toEqual({ stop });
  expect(reads.trips).toEqual([]);
});

it.each([
  { cluster: aCluster().paused(), of: alive, reason: 'its Cluster is paused' },
  {
    cluster: aCluster(),
    of: alive.annotated({ 'cluster.x-k8s.io/paused': '' }),
    reason: 'the object itself is paused',
  },
])('stops before it reads templates: $reason', async ({ cluster, of }) => {
  const reads = fakeReads([cluster]);
  const deleting = of.withFinalizers(finalizer).deleting().build();
  expect(await observe(deleting, reads, rules)).toEqual({ stop: 'paused' });
  expect(reads.trips.length).toBeLessThanOrEqual(1);
});
