import { describe, expect, it } from 'vitest';
import { observe } from '../../../../functions/cluster/observe.ts';
import { aMachine } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { aClusterClass, aSettledCluster, controlPlaneOk, crds, infraOk, infraRef, withBothRefs } from './world.ts';

const options = { honorsDeleteHook: true };

async function tripsOf(cluster: ReturnType<typeof aSettledCluster>, objects: Parameters<typeof fakeReads>[0]) {
  const ask = fakeReads(objects);
  await observe(cluster.build(), ask, options);
  return ask.trips;
}

const lists = ['MachineDeployment', 'MachineSet', 'MachinePool', 'Machine'].map(kind => `list ${kind} ns`);
const infraCrd = 'metadata CustomResourceDefinition fooclusters.infrastructure.cluster.x-k8s.io';
const controlPlaneCrd = 'metadata CustomResourceDefinition foocontrolplanes.controlplane.cluster.x-k8s.io';

describe('what a pass reads', () => {
  it('is two trips: what the Cluster names and selects, then the objects whose version their CRD told', async () => {
    const cluster = withBothRefs(aSettledCluster()).withTopology({ class: 'cls' });
    expect(await tripsOf(cluster, [...crds, aClusterClass(), infraOk(), controlPlaneOk()])).toEqual([
      ['get ClusterClass ns/cls', ...lists, infraCrd, controlPlaneCrd],
      ['get FooCluster ns/i1', 'get FooControlPlane ns/cp1'],
    ]);
  });

  it('is one trip when nothing is named', async () => {
    expect(await tripsOf(aSettledCluster(), crds)).toEqual([lists]);
  });

  it('leaves out an object whose version is not known', async () => {
    expect(await tripsOf(aSettledCluster().withInfrastructureRef(infraRef), [])).toEqual([[...lists, infraCrd]]);
  });

  it('ends with a ClusterClass that is missing', async () => {
    const cluster = withBothRefs(aSettledCluster()).withTopology({ class: 'cls' });
    expect(await tripsOf(cluster, crds)).toHaveLength(1);
  });
});

describe('what a pass knows', () => {
  it('are the Machines of its namespace that carry its name', async () => {
    const ask = fakeReads([
      aMachine().named('ours'),
      aMachine().named('elsewhere').in('other'),
      aMachine().named('of-another').ofCluster('c2'),
    ]);
    const seen = await observe(aSettledCluster().build(), ask, options);
    const machines = 'lists' in seen && seen.lists.machines.ok ? seen.lists.machines.value : [];
    expect(machines.map(machine => machine.metadata.name)).toEqual(['ours']);
  });
});
