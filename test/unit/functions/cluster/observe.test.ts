import { describe, expect, it } from 'vitest';
import { observe } from '../../../../functions/cluster/observe.ts';
import { ContractMemory } from '../../../../shared/external/contract-memory.ts';
import { aMachine, aMachineDeployment } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import {
  aClusterClass,
  aSettledCluster,
  controlPlaneOk,
  crds,
  infraOk,
  infraRef,
  now,
  reconcileOnce,
  testSettings,
  withBothRefs,
} from './cluster-pass.ts';

const pass = { number: 1, now, signal: new AbortController().signal };
const observing = { pass, settings: testSettings };

function asking(objects: Parameters<typeof fakeReads>[0]) {
  return { ...fakeReads(objects), signer: fakeSigner(), workload: fakeWorkload() };
}

async function tripsOf(
  cluster: ReturnType<typeof aSettledCluster>,
  objects: Parameters<typeof fakeReads>[0],
  settings = testSettings,
) {
  const ask = asking(objects);
  await observe(cluster.build(), ask, { pass, settings });
  return ask.trips;
}

const lists = ['MachineDeployment', 'MachineSet', 'MachinePool', 'Machine'].map(kind => `list ${kind} ns`);
const kubeconfig = 'get Secret ns/c1-kubeconfig';
const infraCrd = 'metadata CustomResourceDefinition fooclusters.infrastructure.cluster.x-k8s.io';
const controlPlaneCrd = 'metadata CustomResourceDefinition foocontrolplanes.controlplane.cluster.x-k8s.io';

describe('what a pass reads', () => {
  it('takes two round trips: what the Cluster names and selects, then the objects whose version is in their CRD', async () => {
    const cluster = withBothRefs(aSettledCluster()).withTopology({ class: 'cls' });
    expect(await tripsOf(cluster, [...crds, aClusterClass(), infraOk(), controlPlaneOk()])).toEqual([
      ['get ClusterClass ns/cls', ...lists, infraCrd, controlPlaneCrd],
      ['get FooCluster ns/i1', 'get FooControlPlane ns/cp1'],
    ]);
  });

  it('takes one round trip when nothing is named', async () => {
    expect(await tripsOf(aSettledCluster(), crds)).toEqual([[kubeconfig, ...lists]]);
  });

  it('omits an object whose version is unknown', async () => {
    expect(await tripsOf(aSettledCluster().withInfrastructureRef(infraRef), [])).toEqual([
      [kubeconfig, ...lists, infraCrd],
    ]);
  });

  it('includes the kubeconfig to probe with', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').infrastructureProvisioned();
    expect(await tripsOf(cluster, [...crds, infraOk(), controlPlaneOk()])).toEqual([
      [kubeconfig, ...lists, infraCrd, controlPlaneCrd],
      ['get FooCluster ns/i1', 'get FooControlPlane ns/cp1'],
    ]);
  });

  it('omits the kubeconfig of a control plane provider where probes are off', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').infrastructureProvisioned();
    const settings = { ...testSettings, probesRemote: false };
    expect((await tripsOf(cluster, [...crds, infraOk(), controlPlaneOk()], settings))[0]).not.toContain(kubeconfig);
  });

  it('omits MachinePools where their gate is off', async () => {
    const settings = { ...testSettings, countsMachinePools: false };
    expect(await tripsOf(aSettledCluster(), crds, settings)).toEqual([
      [kubeconfig, ...lists.filter(line => !line.includes('MachinePool'))],
    ]);
  });

  it('includes the authority only once a kubeconfig is due', async () => {
    const cluster = aSettledCluster().withInfrastructureRef(infraRef);
    expect(await tripsOf(cluster, [...crds, infraOk()])).toEqual([
      [kubeconfig, ...lists, infraCrd],
      ['get FooCluster ns/i1'],
      ['get Secret ns/c1-ca'],
    ]);
  });

  it('includes the authority in the second round trip where the endpoint is stored already', async () => {
    const cluster = aSettledCluster().withInfrastructureRef(infraRef).withEndpoint('h.example');
    expect(await tripsOf(cluster, [...crds, infraOk()])).toEqual([
      [kubeconfig, ...lists, infraCrd],
      ['get Secret ns/c1-ca', 'get FooCluster ns/i1'],
    ]);
  });

  it('is at most 12 objects and lists in three round trips for a Cluster with control plane, Machines and a deployment', async () => {
    const objects = [
      infraOk(),
      controlPlaneOk(),
      aMachineDeployment(),
      ...['m1', 'm2', 'm3'].map(name => aMachine().named(name)),
    ];
    const settled = withBothRefs(aSettledCluster()).withEndpoint('h.example').infrastructureProvisioned();
    const first = await reconcileOnce(settled, { objects });
    const again = await reconcileOnce(settled.withStatus(first.status), { objects });
    // The Cluster itself is read before the pass.
    expect(1 + again.ask.trips.flat().length).toBe(10);
    expect(1 + again.ask.trips.length).toBe(3);
    expect(again.writes).toEqual([]);
    expect(again.status).toEqual(first.status);
    const withTopology = await reconcileOnce(settled.withTopology({ class: 'cls' }), {
      objects: [...objects, aClusterClass()],
    });
    expect(1 + withTopology.ask.trips.flat().length).toBe(11);
  });

  it('includes the other objects if the ClusterClass is missing, because no read waits for it', async () => {
    const cluster = withBothRefs(aSettledCluster()).withTopology({ class: 'cls' });
    expect(await tripsOf(cluster, crds)).toHaveLength(2);
  });
});

describe('with a remembered contract of the control plane', () => {
  const contract = { contract: 'v1beta2', version: 'v1' } as const;
  const { status: reported } = controlPlaneOk().build();
  const withoutField = (path: 'availableReplicas' | 'initialization') => {
    const { [path]: _, ...status } = reported as Record<string, unknown>;
    return { ...controlPlaneOk().build(), status };
  };

  it.each([
    { state: 'is initialized and has all counters', object: controlPlaneOk().build(), readsDefinition: false },
    { state: 'lacks a counter', object: withoutField('availableReplicas'), readsDefinition: true },
    { state: 'is not initialized', object: withoutField('initialization'), readsDefinition: true },
  ])('an object that $state: the definition is read: $readsDefinition', async ({ object, readsDefinition }) => {
    const contracts = new ContractMemory().at(now);
    contracts.remember('foocontrolplanes.controlplane.cluster.x-k8s.io', contract);
    const ask = { ...asking([...crds, infraOk(), object]), contracts };
    await observe(withBothRefs(aSettledCluster()).build(), ask, observing);
    expect(ask.trips.flat().includes(controlPlaneCrd)).toBe(readsDefinition);
    expect(ask.trips.flat().filter(line => line === 'get FooControlPlane ns/cp1')).toHaveLength(1);
  });
});

describe('what a pass knows', () => {
  it('are the Machines of its namespace that have its label', async () => {
    const ask = asking([
      aMachine().named('ours'),
      aMachine().named('elsewhere').in('other'),
      aMachine().named('of-another').ofCluster('c2'),
    ]);
    const seen = await observe(aSettledCluster().build(), ask, observing);
    const machines = 'lists' in seen && seen.lists.machines.ok ? seen.lists.machines.value : [];
    expect(machines.map(machine => machine.metadata.name)).toEqual(['ours']);
  });
});
