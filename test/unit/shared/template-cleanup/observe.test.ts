import { expect, it } from 'vitest';
import { toRef } from '../../../../shared/api/object.ts';
import type { Companion } from '../../../../shared/template-cleanup/observe.ts';
import { observe } from '../../../../shared/template-cleanup/observe.ts';
import { aCluster, aMachineSet } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';
import { aMachineTemplate, anOwnedDeployment, anOwnedSet, owned } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/held';
const companion: Companion = {
  finalizer,
  users: async () => ({ ok: true, value: [] }),
  companions: () => [],
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
    doomed: { ok: true, value: [expect.objectContaining({ uid: 'uid-of-simulatedmachinetemplate-ms1-infra' })] },
    reason: 'in the newest version of the contract; a template without definition is gone',
  },
  { objects: [ofMachines(newest)], doomed: { ok: true, value: [] }, reason: 'gone already' },
  { objects: [], doomed: { ok: true, value: [] }, reason: 'its provider is gone' },
  {
    objects: [ofMachines({}), aMachineTemplate('ms1-infra')],
    doomed: { ok: false, error: expect.stringContaining('cannot find any versions matching contract versions') },
    reason: 'nothing tells the version',
  },
])('finds templates: $reason', async ({ objects, doomed }) => {
  const seen = await observe(object, fakeReads([aCluster(), ...objects]), companion);
  expect(seen).toMatchObject({ step: 'release', doomed });
});

it('finds no templates in an object that names none', async () => {
  const bare = aMachineSet().labelled(owned).withSpec({ template: {} }).withFinalizers(finalizer).deleting();
  const reads = fakeReads([aCluster()]);
  expect(await observe(bare.build(), reads, companion)).toMatchObject({ doomed: { ok: true, value: [] } });
  expect(reads.trips).toEqual([['get Cluster ns/c1']]);
});

const alive = anOwnedSet('ms1', anOwnedDeployment(), 'ms1');
const bare = new ObjectBuilder(toRef(alive.build()));

it.each([
  { of: bare, stop: 'not owned by a topology', reason: 'no labels' },
  { of: aMachineSet().deleting(), stop: 'not owned by a topology', reason: 'the labels of others' },
  { of: alive.withFinalizers(finalizer), stop: 'not being deleted', reason: 'held and alive' },
  {
    of: alive.withFinalizers('example.com/theirs').deleting(),
    stop: 'being deleted, and nothing of ours holds it',
    reason: 'held by others alone',
  },
])('stops before it asks anything: $reason', async ({ of, stop }) => {
  const reads = fakeReads([aCluster()]);
  expect(await observe(of.build(), reads, companion)).toEqual({ stop });
  expect(reads.trips).toEqual([]);
});

it.each([
  { cluster: aCluster().paused(), of: alive, reason: 'its Cluster is paused' },
  { cluster: aCluster(), of: alive.annotated({ 'cluster.x-k8s.io/paused': '' }), reason: 'it is paused itself' },
])('stops before it looks for templates: $reason', async ({ cluster, of }) => {
  const reads = fakeReads([cluster]);
  const deleting = of.withFinalizers(finalizer).deleting().build();
  expect(await observe(deleting, reads, companion)).toEqual({ stop: 'paused' });
  expect(reads.trips.length).toBeLessThanOrEqual(1);
});
