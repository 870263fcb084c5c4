// What makes the role of managed topologies need its rights: workers of the example's class that come and go, and workers that
// the API server does not take.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseManifests } from '../../../infra/local/manifests.ts';
import { type Intent, type ObjectRef, toRef, type Unstructured } from '../../../shared/api/object.ts';
import { setAt } from '../../../shared/contract/path.ts';
import { aCluster } from '../../support/builders.ts';
import { fieldsOf } from '../../support/object-builder.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { conditionOf } from '../../support/world-client.ts';
import { anExtension } from './classes.ts';
import { namespace, patienceSeconds, type Stage } from './stage.ts';

const example = 'examples/topology/cluster-class.yaml';

export async function reconcileTopologies(stage: Stage): Promise<void> {
  // Who may be asked depends on the labels of the namespace.
  const hook = { hook: 'BeforeClusterCreate', handler: 'allow', answer: { retryAfterSeconds: 0 } };
  await anExtension(stage, { name: 'leave', ...hook });
  const text = readFileSync(path.resolve(import.meta.dirname, '../../..', example), 'utf8');
  const [clusterClass, ...templates] = parseManifests(text, example);
  if (clusterClass === undefined) {
    throw new Error(`No class in ${example}`);
  }
  for (const template of templates) {
    await stage.client.create(template);
  }
  await Promise.all([loseWorkers(stage, clusterClass), refuseWorkers(stage, clusterClass)]);
}

const deployment = { machineDeployments: [{ class: 'worker', name: 'md', replicas: 1 }] } as const;
const pool = { machinePools: [{ class: 'pool', name: 'mp', replicas: 1 }] } as const;

/** They go, and the health check of the MachineDeployment with it, from a class whose infrastructure changes. */
async function loseWorkers(stage: Stage, clusterClass: Intent): Promise<void> {
  const { client } = stage;
  const ref = await createTopology(stage, clusterClass, { ...deployment, ...pool });
  await client.until(ref, hasReconciled('True'), patienceSeconds);
  const machineDeployment = await findWorker(stage, 'MachineDeployment');
  const machinePool = await findWorker(stage, 'MachinePool');
  // Whether it upgrades, only a Node could tell that is not there.
  await client.patch(machinePool, { status: { nodeRefs: [{ name: 'nowhere' }] } }, 'status');
  await client.until(ref, hasReconciled('False'), patienceSeconds);
  await client.patch(machinePool, { status: { nodeRefs: null, replicas: 1 } }, 'status');
  await client.patch(ref, { spec: { topology: { workers: null } } });
  await Promise.all(
    [machinePool, machineDeployment, { ...machineDeployment, kind: 'MachineHealthCheck' }].map(gone =>
      client.until(gone, object => object === undefined, patienceSeconds),
    ),
  );
}

/** No object may be called as this class says: the templates that were made for it are taken back. */
async function refuseWorkers(stage: Stage, { metadata, ...clusterClass }: Intent): Promise<void> {
  const workers = fieldsOf(fieldsOf(clusterClass['spec'])['workers'])['machineDeployments'];
  const [worker] = Array.isArray(workers) ? workers.map(fieldsOf) : [];
  const naming = { template: 'NOT_A_NAME-{{ .random }}' };
  const refusing = setAt(clusterClass, 'spec.workers.machineDeployments', [{ ...worker, naming }]);
  const ref = await createTopology(stage, { ...refusing, metadata: { ...metadata, name: 'refusing' } }, deployment);
  await stage.client.until(ref, hasReconciled('False'), patienceSeconds);
}

const hasReconciled = (status: string) => (object: Unstructured | undefined) =>
  conditionOf(object, 'TopologyReconciled') === status;

/** A Cluster that is called like its class. */
async function createTopology({ client }: Stage, clusterClass: Intent, workers: unknown): Promise<ObjectRef> {
  const classRef = toRef(await client.create(clusterClass));
  await client.until(classRef, object => conditionOf(object, 'VariablesReady') === 'True', patienceSeconds);
  const { name } = classRef;
  const topology = { class: name, version: 'v1.35.0', controlPlane: { replicas: 1 }, workers };
  return toRef(await client.create(aCluster().named(name).in(namespace).withTopology(topology).intent()));
}

async function findWorker({ client }: Stage, kind: string): Promise<ObjectRef> {
  const { apiVersion } = clusterRef(namespace, kind);
  const labels = { 'topology.cluster.x-k8s.io/owned': '', 'cluster.x-k8s.io/cluster-name': 'simulated' };
  const answer = await client.kubernetes.list({ apiVersion, kind, namespace, labels });
  const [worker] = answer.ok ? answer.value : [];
  if (worker === undefined) {
    throw new Error(`The topology has no ${kind}`);
  }
  return toRef(worker);
}
