// Uses every permission of the topology role: workers of the example's class that are added and removed, and workers
// that the API server rejects.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Intent, type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { parseManifests } from '../../../../local/manifests.ts';
import { aCluster } from '../../../support/builders.ts';
import { fieldsOf } from '../../../support/object-builder.ts';
import { clusterRef } from '../../../support/static-provider.ts';
import { conditionOf } from '../../../support/world-client.ts';
import { anExtension } from '../extension.ts';
import { namespace, type RightsStage } from '../stage.ts';

const example = 'examples/topology/cluster-class.yaml';

/** Workers of the example's class, and workers that the API server rejects. */
export async function scenario(stage: RightsStage): Promise<void> {
  if (stage.gates.RuntimeSDK) {
    // The labels of the namespace select the extensions of a hook.
    const hook = { hook: 'BeforeClusterCreate', handler: 'allow', answer: { retryAfterSeconds: 0 } };
    await anExtension(stage, { name: 'leave', ...hook });
  }
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../..', example), 'utf8');
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

/** The workers are deleted, with the health check of the MachineDeployment. The infrastructure of the class changes. */
async function loseWorkers(stage: RightsStage, clusterClass: Intent): Promise<void> {
  const { client } = stage;
  const ref = await createTopology(stage, clusterClass, { ...deployment, ...pool });
  await client.until(ref, hasReconciled('True'));
  const machineDeployment = await findWorker(stage, 'MachineDeployment');
  const machinePool = await findWorker(stage, 'MachinePool');
  // The reconciler reads a Node that does not exist, to determine whether it upgrades.
  await client.patch(machinePool, { status: { nodeRefs: [{ name: 'nowhere' }] } }, 'status');
  await client.until(ref, hasReconciled('False'));
  await client.patch(machinePool, { status: { nodeRefs: null, replicas: 1 } }, 'status');
  await client.patch(ref, { spec: { topology: { workers: null } } });
  await Promise.all(
    [machinePool, machineDeployment, { ...machineDeployment, kind: 'MachineHealthCheck' }].map(gone =>
      client.until(gone, object => object === undefined),
    ),
  );
}

/** The class requires invalid object names. The templates that were created for these objects are deleted again. */
async function refuseWorkers(stage: RightsStage, { metadata, ...clusterClass }: Intent): Promise<void> {
  const workers = fieldsOf(fieldsOf(clusterClass['spec'])['workers'])['machineDeployments'];
  const [worker] = Array.isArray(workers) ? workers.map(fieldsOf) : [];
  const naming = { template: 'NOT_A_NAME-{{ .random }}' };
  const refusing = setAt(clusterClass, 'spec.workers.machineDeployments', [{ ...worker, naming }]);
  const ref = await createTopology(stage, { ...refusing, metadata: { ...metadata, name: 'refusing' } }, deployment);
  await stage.client.until(ref, hasReconciled('False'));
}

const hasReconciled = (status: string) => (object: Unstructured | undefined) =>
  conditionOf(object, 'TopologyReconciled') === status;

/** A Cluster with the same name as its class. */
async function createTopology({ client }: RightsStage, clusterClass: Intent, workers: unknown): Promise<ObjectRef> {
  const classRef = toRef(await client.create(clusterClass));
  await client.until(classRef, object => conditionOf(object, 'VariablesReady') === 'True');
  const { name } = classRef;
  const topology = { class: name, version: 'v1.35.0', controlPlane: { replicas: 1 }, workers };
  return toRef(await client.create(aCluster().named(name).in(namespace).withTopology(topology).intent()));
}

async function findWorker({ client }: RightsStage, kind: string): Promise<ObjectRef> {
  const { apiVersion } = clusterRef(namespace, kind);
  const labels = { 'topology.cluster.x-k8s.io/owned': '', 'cluster.x-k8s.io/cluster-name': 'simulated' };
  const answer = await client.kubernetes.list({ apiVersion, kind, namespace, labels });
  const [worker] = answer.ok ? answer.value : [];
  if (worker === undefined) {
    throw new Error(`The topology has no ${kind}`);
  }
  return toRef(worker);
}
