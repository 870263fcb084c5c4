// The cost of a reconcile of a settled object: no write, and few sequential requests.
import path from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { readObjects } from '../../cli/plan/files.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import { createClusterClassReconciler } from '../../functions/clusterclass/reconciler.ts';
import { createTopologyReconciler } from '../../functions/topology/reconciler.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { createSimulatedSigner } from '../simulation/ports/remote.ts';
import { reconcilersOf, simulateDeclared } from '../simulation/system/reconcilers.ts';
import { aSecret } from '../simulation/workloads/workload.ts';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../support/builders.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { fakeWorkload } from '../support/fake-remote.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf, phaseOf } from '../support/world-client.ts';
import type { Rounds } from './rounds.ts';
import { settleWorld } from './settled-objects.ts';

const namespace = 'default';

interface Cost {
  readonly rounds: number;
  readonly requests: number;
}

function expectSettled({ result, rounds }: Rounds<Reconciled>, cost: Cost): void {
  expect(result).toMatchObject({ passes: 1, writes: 0 });
  expect(result.result.kind).not.toBe('failed');
  const text = rounds.map(round => round.join(', ')).join('\n');
  expect({ rounds: rounds.length, requests: rounds.flat().length }, text).toEqual(cost);
}

function manifests(...files: readonly string[]): Promise<readonly Intent[]> {
  return readObjects(files.map(file => path.join(projectRoot, file)));
}

const cluster = clusterRef(namespace, 'c1');
const clusterReconciler = createClusterReconciler(defaultSettings);
const clusterPorts = () => ({ signer: createSimulatedSigner(), workload: fakeWorkload() });

it('a settled plain Cluster is read in three rounds: itself, lists and its infrastructure, its certificate authority', async () => {
  const world = await settleWorld('a plain Cluster', {
    reconcilers: reconcilersOf({}),
    async script(user) {
      await user.create(anInfraCluster().in(namespace).intent());
      await user.create(aCluster().in(namespace).withInfrastructureRef().intent());
      await user.until('a provisioned Cluster', cluster, object => phaseOf(object) === 'Provisioned');
    },
  });
  const counted = await world.count(clusterReconciler, clusterPorts(), cluster);
  expectSettled(counted, { rounds: 3, requests: 8 });
});

it('a settled Cluster with a control plane object, Machines and a MachineDeployment is read in two rounds: itself, and all objects, if this process has just read their contracts', async () => {
  const world = await settleWorld('a Cluster with workers', {
    reconcilers: reconcilersOf({}),
    async script(user) {
      const machines = ['m1', 'm2', 'm3'].map(name => aMachine().named(name));
      const controlPlane = aControlPlane().withSpec({ replicas: 3 });
      const members = [anInfraCluster(), controlPlane, aMachineDeployment().withReplicas(0), ...machines];
      await user.create(aSecret('c1-kubeconfig', 'value', namespace));
      await user.create(...members.map(each => each.in(namespace).intent()));
      await user.create(aCluster().in(namespace).withInfrastructureRef().withControlPlaneRef().intent());
      await user.until('a probed Cluster', cluster, object => conditionOf(object, 'RemoteConnectionProbe') === 'True');
    },
  });
  const counted = await world.count(clusterReconciler, clusterPorts(), cluster);
  expectSettled(counted, { rounds: 2, requests: 8 });
});

const workersOf = (name: string) => ({ class: 'worker', name, replicas: 1 });

const aManagedCluster: Intent = {
  apiVersion: cluster.apiVersion,
  kind: 'Cluster',
  metadata: { name: 'managed', namespace },
  spec: {
    topology: {
      classRef: { name: 'simulated' },
      version: 'v1.35.0',
      controlPlane: { replicas: 1 },
      workers: { machineDeployments: ['front', 'back'].map(workersOf) },
      variables: [{ name: 'size', value: 'medium' }],
    },
  },
};

it('a settled topology is read in five rounds: Cluster, class, templates with top-level objects, what those reference, Machines', async () => {
  const ref = clusterRef(namespace, 'managed');
  const classAndTemplates = await manifests('examples/topology/cluster-class.yaml');
  const world = await settleWorld('a managed topology', {
    reconcilers: reconcilersOf({ managed: true }),
    async script(user) {
      await user.create(...classAndTemplates, aManagedCluster);
      await user.until('a reconciled topology', ref, object => conditionOf(object, 'TopologyReconciled') === 'True');
    },
  });
  const nodes = { kubeletVersions: async () => new Map() };
  const topologyReconciler = createTopologyReconciler({ callsExtensions: true });
  const counted = await world.count(topologyReconciler, { hooks: fakeHooks(), nodes }, ref);
  expectSettled(counted, { rounds: 5, requests: 22 });
});

it('a settled ClusterClass is read in two rounds: the class, then all that it references', async () => {
  const reconciler = createClusterClassReconciler({ callsExtensions: false });
  const ref = { ...cluster, kind: 'ClusterClass', name: 'broad' };
  const classAndTemplates = await manifests('test/fixtures/broad-cluster-class.yaml');
  const world = await settleWorld('a broad ClusterClass', {
    reconcilers: [simulateDeclared(reconciler)],
    async script(user) {
      await user.create(...classAndTemplates);
      await user.until('a reconciled class', ref, object => conditionOf(object, 'VariablesReady') === 'True');
    },
  });
  const counted = await world.count(reconciler, { hooks: fakeHooks() }, ref);
  expectSettled(counted, { rounds: 2, requests: 16 });
});
