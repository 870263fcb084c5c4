// `why` without a name on fleets that the reconcilers themselves report: real conditions, in virtual time. Probes of workload
// clusters always succeed here, so their faults are planted in test/unit/cli/why only.

// Functions load these modules on demand, which takes real time.
import '../../functions/topology/plan/patches/class-patches.ts';
import '../../shared/topology/default-variables.ts';
import '../../shared/variables/index.ts';
import path from 'node:path';
import { type Intent, type ObjectRef, type Reads, toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { readObjects } from '../../cli/plan/files.ts';
import { whyFleet } from '../../cli/why/fleet.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { createVirtualTime } from '../parity/virtual-time.ts';
import { reconcilersOf } from '../simulation/system/reconcilers.ts';
import { createSystem } from '../simulation/system/system.ts';
import { createUser, type SimulatedUser, sleep } from '../simulation/system/user.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf } from '../support/world-client.ts';

const namespace = 'default';
const start = Date.parse('2026-01-01T00:00:00Z');
const clusters = ['c1', 'c3'];
const cluster = clusterRef(namespace, 'c3');
const restMs = 600_000;

interface Plant {
  readonly cause: string;
  readonly first: RegExp;
  /** Breaks Cluster c3 of a settled fleet. */
  plant(user: SimulatedUser, objects: readonly ObjectRef[]): Promise<void>;
}

const orders = 'simulated.capi-serverless.dev/';
const annotate = (user: SimulatedUser, ref: ObjectRef | undefined, key: string, value = ''): Promise<void> =>
  user.patch(ref ?? cluster, { metadata: { annotations: { [key]: value } } });
const ofKind = (objects: readonly ObjectRef[], kind: string): ObjectRef | undefined =>
  objects.find(object => object.kind === kind && object.name.startsWith('c3-'));
const worker = (objects: readonly ObjectRef[]): ObjectRef | undefined =>
  objects.find(({ kind, name }) => kind === 'Machine' && name.startsWith('c3-md'));

const plants: readonly Plant[] = [
  {
    cause: 'the Cluster is paused',
    first: /^Cluster default\/c3 waits for its pause to end/,
    plant: user => user.patch(cluster, { spec: { paused: true } }),
  },
  {
    cause: 'a class that does not exist',
    first: /^Cluster default\/c3 waits for .*ClusterClass default\/absent/,
    plant: user => user.patch(cluster, { spec: { topology: { classRef: { name: 'absent' } } } }),
  },
  {
    cause: 'a variable that the schema refuses',
    first: /^Cluster default\/c3 waits for .*size/,
    plant: user => user.patch(cluster, { spec: { topology: { variables: [{ name: 'size', value: 'huge' }] } } }),
  },
  {
    cause: 'infrastructure that fails',
    first: /^Cluster default\/c3 waits for InfrastructureReady: SimulatedCluster default\/c3-\S+, .*no more networks/,
    plant: (user, objects) => annotate(user, ofKind(objects, 'SimulatedCluster'), `${orders}fail`, 'no more networks'),
  },
  {
    cause: 'a Node that fails',
    first: /^Machine default\/c3-md\S* waits for Node(?:Ready|Healthy): Node .*/,
    plant: (user, objects) => annotate(user, machineOf(worker(objects)), `${orders}fail-node`, 'kubelet stopped'),
  },
  {
    cause: 'a hook annotation of a Machine',
    first:
      /^Machine default\/c3-md\S* waits for its deletion to end: annotation pre-drain\.delete\.hook\.machine\.cluster\.x-k8s\.io\/backup/,
    async plant(user, objects) {
      const ref = worker(objects) ?? cluster;
      await annotate(user, ref, 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup', 'velero');
      await user.delete(ref);
    },
  },
  {
    cause: 'a volume that stays attached',
    first: /^Machine default\/c3-md\S* waits for its deletion to end: .*[Vv]olume/,
    async plant(user, objects) {
      const ref = worker(objects) ?? cluster;
      await annotate(user, machineOf(ref), `${orders}volume`);
      await user.pause(60);
      await user.delete(ref);
    },
  },
  {
    cause: 'infrastructure that is not deleted',
    first: /^Machine default\/c3-md\S* waits for its deletion to end: SimulatedMachine default\/c3-md/,
    async plant(user, objects) {
      const ref = worker(objects) ?? cluster;
      await annotate(user, machineOf(ref), `${orders}delete-hang`);
      await user.delete(ref);
    },
  },
  {
    cause: 'a finalizer of another controller',
    first: /^Cluster default\/c3 waits for what belongs to it to go: its finalizers: .*example\.com\/keep/,
    async plant(user) {
      await user.change(cluster, ({ metadata }) => ({
        metadata: { finalizers: [...(metadata.finalizers ?? []), 'example.com/keep'] },
      }));
      await user.delete(cluster);
    },
  },
];

/** Infrastructure machines have the names of their Machines. */
function machineOf(ref: ObjectRef | undefined): ObjectRef | undefined {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
  return ref === undefined ? undefined : { ...ref, apiVersion, kind: 'SimulatedMachine' };
}

function aCluster(name: string): Intent {
  const workers = { machineDeployments: [{ class: 'worker', name: 'md', replicas: 2 }] };
  const topology = { classRef: { name: 'simulated' }, version: 'v1.35.0', controlPlane: { replicas: 1 }, workers };
  return {
    apiVersion: cluster.apiVersion,
    kind: 'Cluster',
    metadata: { name, namespace },
    spec: { topology: { ...topology, variables: [{ name: 'size', value: 'medium' }] } },
  };
}

async function askFleet(reads: Reads): Promise<string> {
  const written: string[] = [];
  await whyFleet({ reads, write: text => written.push(text), json: false });
  return written.join('');
}

/** Resolves with the answer before and after the cause is planted. */
async function breakFleet({ cause, plant }: Plant): Promise<{ readonly healthy: string; readonly broken: string }> {
  const classAndTemplates = await readObjects([path.join(projectRoot, 'examples/topology/cluster-class.yaml')]);
  const { engine, options, run } = createVirtualTime(`broken fleet: ${cause}`, start);
  const system = createSystem({ ...options, reconcilers: reconcilersOf({ managed: true }), world: undefined });
  const user = createUser(engine, system);
  const answers = { healthy: '', broken: '' };
  await run(async () => {
    await user.create(...classAndTemplates, ...clusters.map(aCluster));
    await user.untilAll('available Clusters', 'Cluster', all =>
      all.every(each => conditionOf(each, 'Available') === 'True'),
    );
    await sleep(engine, restMs);
    answers.healthy = await askFleet(system.api.clientOf('why'));
    await plant(user, [...system.api.objects().values()].map(toRef));
    await sleep(engine, restMs);
    answers.broken = await askFleet(system.api.clientOf('why'));
  });
  return answers;
}

it.each(plants)('names $cause first', async plant => {
  const { healthy, broken } = await breakFleet(plant);
  expect(healthy).toBe('Nothing waits.\n');
  expect(broken.split('\n')[0], broken).toMatch(plant.first);
});
