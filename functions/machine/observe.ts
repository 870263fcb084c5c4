// Reads the objects for one pass over a Machine: what the Machine names, then its Node, then what a deletion or an
// in-place update needs.
import { type Answer, groupOf, type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Pass, Stop } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { readTemplateOwner, type TemplateOwner } from '../../shared/api/machine/template-owner.ts';
import { readWholeMachine, type WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { readReferenced } from '../../shared/external/read-referenced.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import type { WorkloadApi, WorkloadReads } from '../../shared/workload/api.ts';
import { openWorkload } from '../../shared/workload/open-workload.ts';
import { observeDeletion } from './observe/deletion.ts';
import { type FoundNode, findNode } from './observe/find-node.ts';
import { callUpdateMachine } from './observe/update.ts';
import { isCompleted } from './phases/deletion/plan-deletion.ts';
import { gateOf, isDeleting, needsFinalizer } from './phases/machine-gate.ts';
import type { MachineSettings } from './phases/machine-settings.ts';
import { type ConnectionState, connectionState } from './phases/node/connection.ts';
import { toTarget } from './phases/target.ts';
import { type UpdateDecision, updateStateOf } from './phases/update/in-place-update.ts';
import { type MachineSeen, type ObjectsPlan, planObjects, toNamedNode } from './plan.ts';
import type { MachineEarlyEnd, ObservedObjects } from './seen.ts';

export interface MachinePorts extends HooksPort {
  readonly workloadApi: WorkloadApi;
}

interface Observing {
  readonly pass: Pass;
  readonly settings: MachineSettings;
}

/** Stops if the Paused condition of the Machine is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: Reads & MachinePorts,
  observing: Observing,
): Promise<MachineSeen | Stop> {
  const machine = readWholeMachine(primary);
  const isLikelyPaused = isTrue(machine.status.conditions, 'Paused');
  // A Machine that needs one write, or that is paused, needs no other object than its Cluster.
  const objects = needsFinalizer(machine) || isLikelyPaused ? undefined : readObjects(machine, ask, observing.settings);
  const cluster = await readClusterOf(machine, ask);
  if ('error' in cluster) {
    await objects;
    return { step: 'blocked', error: cluster.error };
  }
  const early = earlyEnd(machine, cluster.found);
  if (early !== undefined) {
    await objects;
    return early;
  }
  const read = await (objects ?? readObjects(machine, ask, observing.settings));
  return 'error' in read
    ? { step: 'blocked', error: read.error }
    : observePhases({ ...read, cluster: cluster.found }, ask, observing);
}

function earlyEnd(machine: WholeMachine, cluster: Cluster | undefined): MachineEarlyEnd | Stop | undefined {
  if (needsFinalizer(machine)) {
    return { step: 'finalizer', machine };
  }
  switch (gateOf(machine, cluster)) {
    case 'write':
      return { step: 'pausedCondition', machine, isClusterPaused: cluster?.spec.paused === true };
    case 'paused':
      return { stop: 'paused' };
    case 'open':
      return undefined;
  }
}

type ClusterRead = { readonly found: Cluster | undefined } | { readonly error: string };

/** A Machine in deletion whose Cluster is gone can still be deleted. */
async function readClusterOf(machine: WholeMachine, ask: Reads): Promise<ClusterRead> {
  const { namespace } = machine.metadata;
  const name = machine.spec.clusterName;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name });
  if (answer.ok) {
    return { found: readCluster(answer.value) };
  }
  return answer.missing && isDeleting(machine)
    ? { found: undefined }
    : { error: `failed to get Cluster ${toDisplayName({ namespace, name })}: ${answer.failure.message}` };
}

type ObjectsRead = Omit<ObservedObjects, 'cluster'> | { readonly error: string };

async function readObjects(machine: WholeMachine, ask: Reads, settings: MachineSettings): Promise<ObjectsRead> {
  const { namespace } = machine.metadata;
  const { bootstrap, infrastructureRef } = machine.spec;
  const [owners, config, infrastructure] = await Promise.all([
    readOwners(machine, ask),
    readReferenced({ ref: bootstrap.configRef, namespace }, ask),
    readReferenced({ ref: infrastructureRef, namespace }, ask),
  ]);
  return 'error' in owners ? owners : { machine, ...owners, bootstrap: config, infrastructure, settings };
}

type Owners = Pick<ObservedObjects, 'machineSet' | 'machineDeployment'>;

/** A Machine in deletion does not need owners that are gone. */
async function readOwners(machine: WholeMachine, ask: Reads): Promise<Owners | { readonly error: string }> {
  const { namespace, name, ownerReferences = [] } = machine.metadata;
  const owner = ownerReferences.find(
    ({ apiVersion, kind }) => kind === 'MachineSet' && groupOf(apiVersion) === clusterGroup,
  );
  if (owner === undefined) {
    return { machineSet: undefined, machineDeployment: undefined };
  }
  const get = async (kind: string, named: string): Promise<Answer<TemplateOwner>> =>
    ask.get(
      { apiVersion: clusterApiVersion, kind, namespace, name: named },
      raw => readTemplateOwner(raw as Unstructured), // True: the answer of a get is an object.
    );
  const machineSet = await get('MachineSet', owner.name);
  if (!machineSet.ok) {
    const problem = `failed to retrieve owner MachineSet for Machine ${toDisplayName({ namespace, name })}`;
    return machineSet.missing && isDeleting(machine)
      ? { machineSet: undefined, machineDeployment: undefined }
      : { error: `${problem}: ${machineSet.failure.message}` };
  }
  const deploymentName = machineSet.value.metadata.labels?.[deploymentNameLabel] ?? '';
  if (deploymentName === '') {
    return { machineSet: machineSet.value, machineDeployment: undefined };
  }
  const deployment = await get('MachineDeployment', deploymentName);
  if (!deployment.ok && !(deployment.missing && isDeleting(machine))) {
    const of = toDisplayName({ namespace, name: owner.name });
    return {
      error: `failed to retrieve owner MachineDeployment for MachineSet ${of}: ${deployment.failure.message}`,
    };
  }
  return { machineSet: machineSet.value, machineDeployment: deployment.ok ? deployment.value : undefined };
}

async function observePhases(
  read: ObservedObjects,
  ask: Reads & MachinePorts,
  { pass, settings }: Observing,
): Promise<MachineSeen> {
  const objects = planObjects(read);
  const { machine, cluster } = read;
  const workload =
    cluster === undefined || !needsNode(machine, objects) ? undefined : await openWorkload(cluster, ask, pass);
  const isAsked = workload !== undefined;
  const isReported = isConnectionReported(cluster, settings);
  const found = await observeNode({ machine, cluster, objects, workload, isReported });
  const scoped = { bootstrap: objects.bootstrap.scoped, infrastructure: objects.infrastructure.scoped };
  const now = pass.now;
  const deletion = isDeleting(machine)
    ? await observeDeletion(
        {
          machine,
          cluster,
          ...scoped,
          ...toNamedNode(machine.status.nodeRef.name, found.lookup, found.namedNode),
          target: toTarget(cluster),
          settings,
          now,
        },
        { ask, workload: workload ?? noWorkload, pass },
      )
    : undefined;
  return {
    step: 'phases',
    ...read,
    objects,
    lookup: found.lookup,
    isAsked,
    connection: toConnection(cluster, { lookup: found.lookup, isAsked, isReported, now }),
    deletion,
    update: await observeUpdate({ machine, ...scoped, settings }, ask, pass),
    ...(pass.signal.aborted ? { isLate: true } : {}),
  };
}

async function observeUpdate(
  scope: Parameters<typeof updateStateOf>[0],
  ask: Reads & MachinePorts,
  pass: Pass,
): Promise<UpdateDecision> {
  const { machine, bootstrap, infrastructure } = scope;
  const state = isDeleting(machine) ? 'none' : updateStateOf(scope);
  if (state !== 'call') {
    return { state };
  }
  return infrastructure.state === 'inScope'
    ? callUpdateMachine({ machine, bootstrap, infrastructure }, ask, pass)
    : { state: 'impossible' };
}

/** Before a Machine has a providerID, nothing is asked of the workload cluster. */
function needsNode(machine: WholeMachine, { providerID }: ObjectsPlan): boolean {
  return (providerID !== '' || machine.status.nodeRef.name !== '') && !isCompleted(machine);
}

interface Finding {
  readonly machine: WholeMachine;
  readonly cluster: Cluster | undefined;
  readonly objects: ObjectsPlan;
  readonly workload: WorkloadReads | undefined;
  readonly isReported: boolean;
}

async function observeNode({ machine, cluster, objects, workload, isReported }: Finding): Promise<FoundNode> {
  if (workload !== undefined) {
    return findNode(machine, objects.providerID, workload);
  }
  const namedNode = { state: 'gone' } as const;
  // After the deletion is completed, the Node is not looked for again.
  if (objects.providerID !== '') {
    return { lookup: { state: 'missing' }, namedNode };
  }
  // Upstream watches the Nodes of a control plane that is initialized, also for Machines without providerID.
  const isInitialized = isTrue(cluster?.status.conditions ?? [], 'ControlPlaneInitialized');
  return { lookup: { state: isInitialized && !isReported ? 'notConnected' : 'noProviderID' }, namedNode };
}

/** Without a request in this pass, the condition of the Cluster reports the state of the connection. */
function isConnectionReported(cluster: Cluster | undefined, { probesRemote }: MachineSettings): boolean {
  return !probesRemote || isTrue(cluster?.status.conditions ?? [], remoteConnectionType);
}

/** For Machines without Node. */
export const noWorkload: WorkloadReads = {
  get: unasked,
  list: unasked,
  nodes: unasked,
  resources: unasked,
};

function unasked(): never {
  throw new Error('A Machine without Node asks nothing of a workload cluster');
}

interface Connecting extends Pick<FoundNode, 'lookup'> {
  readonly isAsked: boolean;
  readonly isReported: boolean;
  readonly now: number;
}

function toConnection(cluster: Cluster | undefined, { isAsked, isReported, lookup, now }: Connecting): ConnectionState {
  if (cluster === undefined) {
    return { isConnected: false, lastSuccessAt: undefined, consecutiveFailures: 0 };
  }
  return connectionState(cluster, { isConnected: isAsked ? lookup.state !== 'notConnected' : isReported, now });
}
