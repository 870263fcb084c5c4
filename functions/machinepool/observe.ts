// Reads the objects for one pass over a MachinePool: its Cluster and the objects that it names, then the Machines of the
// pool and the Nodes of the workload cluster.
import { type Answer, type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { isFalse } from '@capi-serverless/cluster-api/conditions';
import { readInfrastructureMachineKind } from '@capi-serverless/cluster-api/contract';
import { blocked, type EarlyEnd, isDeleting, lacksFinalizer, type Pass, type Stop } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { readWholeMachinePool, type WholeMachinePool } from '../../shared/api/machine-pool/whole-machine-pool.ts';
import { readPoolNode } from '../../shared/api/node/pool-reader.ts';
import type { External } from '../../shared/external/external.ts';
import { readReferenced } from '../../shared/external/read-referenced.ts';
import { isConnectionDown, type WorkloadApi, type WorkloadReads } from '../../shared/workload/api.ts';
import { readKubeconfig, workloadOf } from '../../shared/workload/open-workload.ts';
import { namedPool, planExternals } from './phases/externals.ts';
import { gateOf, poolFinalizer } from './phases/gate.ts';
import { needsNodes } from './phases/pool-deletion.ts';
import { memberLabels } from './phases/pool-machines.ts';
import type { ObservedPool, PoolMembersRead, PoolNodesRead } from './seen.ts';

export interface PoolPorts {
  readonly workloadApi: WorkloadApi;
}

/** Stops if the Paused condition of the MachinePool is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: Reads & PoolPorts,
  pass: Pass,
): Promise<ObservedPool | EarlyEnd | Stop> {
  const pool = readWholeMachinePool(primary);
  const { namespace } = pool.metadata;
  const name = pool.spec.clusterName;
  const begin = () => readObjects(pool, ask, pass);
  // A pool that needs one write, or that is paused, needs no other object than its Cluster.
  const isOpen = !lacksFinalizer(primary, poolFinalizer) && isFalse(pool.status.conditions, 'Paused');
  const started = isOpen ? begin() : undefined;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name });
  if (!answer.ok) {
    await started;
    const cause = `failed to get Cluster ${toDisplayName({ namespace, name })}: ${answer.failure.message}`;
    const of = `machinepool "${pool.metadata.name}" in namespace "${namespace}"`;
    return blocked(`failed to get cluster "${name}" for ${of}: ${cause}`);
  }
  const cluster = readCluster(answer.value);
  const early = gateOf(pool, cluster);
  if (early !== undefined) {
    await started;
    return early;
  }
  return observePhases({ pool, cluster, objects: await (started ?? begin()) }, ask, pass);
}

interface ObjectsRead {
  readonly bootstrap: External;
  readonly infrastructure: External;
  /** The Secret with the kubeconfig. `undefined` if this pass needs no Nodes. */
  readonly kubeconfig: Answer<Unstructured> | undefined;
}

async function readObjects(pool: WholeMachinePool, ask: Reads, pass: Pass): Promise<ObjectsRead> {
  const { namespace } = pool.metadata;
  const { bootstrap, infrastructureRef } = pool.spec.template.spec;
  const cluster = { metadata: { namespace, name: pool.spec.clusterName } };
  const usesNodes = !isDeleting(pool) || needsNodes(pool, pass.now);
  const [config, infrastructure, kubeconfig] = await Promise.all([
    readReferenced({ ref: bootstrap.configRef, namespace }, ask),
    readReferenced({ ref: infrastructureRef, namespace }, ask),
    usesNodes ? readKubeconfig(cluster, ask) : undefined,
  ]);
  return { bootstrap: config, infrastructure, kubeconfig };
}

interface Observing {
  readonly pool: WholeMachinePool;
  readonly cluster: Cluster;
  readonly objects: ObjectsRead;
}

async function observePhases(
  { pool, cluster, objects }: Observing,
  { workloadApi, ...ask }: Reads & PoolPorts,
  pass: Pass,
): Promise<ObservedPool> {
  const { kubeconfig, ...read } = objects;
  const externals = planExternals(pool, read);
  const { scoped } = externals.infrastructure;
  const isUsed = scoped.state === 'inScope' && !isDeleting(scoped.object);
  const hasExternals = [read.bootstrap, read.infrastructure].some(({ state }) => state === 'found');
  const asksNodes = isDeleting(pool) ? !hasExternals : isUsed;
  const [members, nodes] = await Promise.all<readonly [Promise<PoolMembersRead>, Promise<PoolNodesRead>]>([
    isUsed && !isDeleting(pool) ? readMembers(pool, scoped.object, ask) : Promise.resolve({ state: 'none' }),
    kubeconfig === undefined || !asksNodes
      ? Promise.resolve({ state: 'unread' })
      : readNodes(workloadOf(cluster, kubeconfig, { workloadApi, pass })),
  ]);
  return { pool, cluster, ...read, externals, members, nodes };
}

/** One list serves the whole pass. A list that is not complete fails. */
async function readNodes(workload: Pick<WorkloadReads, 'list'>): Promise<PoolNodesRead> {
  const listed = await workload.list({ apiVersion: 'v1', kind: 'Node' }, readPoolNode);
  if (listed.ok) {
    return { state: 'listed', nodes: listed.value };
  }
  const { failure } = listed;
  return isConnectionDown(failure) ? { state: 'down' } : { state: 'failed', error: failure.message };
}

/** The objects have the group and version of the infrastructure of the pool. */
async function readMembers(
  pool: WholeMachinePool,
  infrastructure: Unstructured,
  ask: Pick<Reads, 'list'>,
): Promise<PoolMembersRead> {
  const kind = readInfrastructureMachineKind(infrastructure);
  if (kind.state === 'wrongType') {
    const of = `from infrastructure provider for MachinePool ${toDisplayName(pool.metadata)}`;
    return { state: 'failed', error: `failed to retrieve infraMachineKind ${of}: ${kind.error}` };
  }
  if (kind.state === 'absent' || kind.value === '') {
    return { state: 'none' };
  }
  const { namespace } = pool.metadata;
  const labels = memberLabels(pool);
  const [objects, machines] = await Promise.all([
    ask.list({ apiVersion: infrastructure.apiVersion, kind: kind.value, namespace, labels }),
    ask.list({ apiVersion: clusterApiVersion, kind: 'Machine', namespace, labels }),
  ]);
  if (!objects.ok) {
    return {
      state: 'failed',
      error: `failed to list infra machines for ${namedPool(pool)}: ${objects.failure.message}`,
    };
  }
  if (!machines.ok) {
    return { state: 'failed', error: `failed to list machines for ${namedPool(pool)}: ${machines.failure.message}` };
  }
  return {
    state: 'listed',
    infraMachines: objects.value.toSorted(byName),
    machines: machines.value.toSorted(byName).map(readWholeMachine),
  };
}

function byName(a: Unstructured, b: Unstructured): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
