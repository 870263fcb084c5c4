import { expect, it } from 'vitest';
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
