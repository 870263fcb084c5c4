// Reads the objects for one pass over a Machine: what the Machine names, then its Node, then what a deletion or an
// in-place update needs.
import { type Answer, groupOf, type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { readDataSecretCreated, readProvisioned, valueOr } from '@capi-serverless/cluster-api/contract';
import {
  answerQuestions,
  blocked,
  type EarlyEnd,
  isDeleting,
  lacksFinalizer,
  type Pass,
  type Stop,
} from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { readTemplateOwner, type TemplateOwner } from '../../shared/api/machine/template-owner.ts';
import { readWholeMachine, type WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import type { ContractReads } from '../../shared/external/read-in-contract.ts';
import { type IsEnough, readReferenced } from '../../shared/external/read-referenced.ts';
import { hooksOf } from '../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { updateMachine } from '../../shared/runtime-hooks/rules/catalog.ts';
import type { WorkloadApi, WorkloadReads } from '../../shared/workload/api.ts';
import { readKubeconfig, workloadOf } from '../../shared/workload/open-workload.ts';
import { unconnectedReads } from '../../shared/workload/unconnected.ts';
import { observeDeletion } from './observe/deletion.ts';
import { type FoundNode, findNode, nodeToRemove } from './observe/find-node.ts';
import type { OutageClaims } from './observe/outage-claims.ts';
import type { Postponements } from './observe/postponements.ts';
import { isCompleted } from './phases/deletion/plan-deletion.ts';
import { planExternals } from './phases/externals.ts';
import { readFirstFailures } from './phases/first-failures.ts';
import { gateOf, machineFinalizer } from './phases/gate.ts';
import { searchedProviderId, withNewAddresses } from './phases/infrastructure.ts';
import { type ConnectionState, connectionState, isDead } from './phases/node/connection.ts';
import { isUnnoticedOutage } from './phases/node/report-outage.ts';
import type { MachinePhase } from './phases/pass-progress.ts';
import type { MachineScope } from './phases/scope.ts';
import { toTarget } from './phases/target.ts';
import { planUpdate } from './phases/update/in-place-update.ts';
import type { MachineSettings, ObservedMachine, ObservedObjects } from './seen.ts';

export interface MachinePorts extends HooksPort {
  readonly workloadApi: WorkloadApi;
}

interface Observing {
  readonly pass: Pass;
  readonly settings: MachineSettings;
  readonly postponements: Postponements;
  readonly outages: OutageClaims;
}

/** Stops if the Paused condition of the Machine is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: ContractReads & MachinePorts,
  observing: Observing,
): Promise<MachineScope | EarlyEnd | Stop> {
  const machine = readWholeMachine(primary);
  const isLikelyPaused = isTrue(machine.status.conditions, 'Paused');
  // A Machine that needs one write, or that is paused, needs no other object than its Cluster.
  const begin = () => readObjects(machine, ask, observing.settings);
  const objects = lacksFinalizer(primary, machineFinalizer) || isLikelyPaused ? undefined : begin();
  const cluster = await readClusterOf(machine, ask);
  if ('error' in cluster) {
    await objects;
    return blocked(cluster.error);
  }
  const early = gateOf(machine, cluster.found);
  if (early !== undefined) {
    await objects;
    return early;
  }
  const read = await (objects ?? begin());
  if ('error' in read) {
    return blocked(read.error);
  }
  const { kubeconfig, ...rest } = read;
  return observePhases({ ...rest, cluster: cluster.found }, kubeconfig, { ask, ...observing });
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

/** The Secret with the kubeconfig of the workload cluster. `undefined` if it was not read. */
type Kubeconfig = Answer<Unstructured> | undefined;

type ObjectsRead =
  | (Omit<ObservedObjects, 'cluster'> & { readonly kubeconfig: Kubeconfig })
  | { readonly error: string };

/** A Machine that has a Node, or expects one, needs the kubeconfig. It is read at the same time as the objects. */
async function readObjects(machine: WholeMachine, ask: ContractReads, settings: MachineSettings): Promise<ObjectsRead> {
  const { namespace } = machine.metadata;
  const { bootstrap, infrastructureRef, providerID } = machine.spec;
  const [owners, config, infrastructure, kubeconfig] = await Promise.all([
    readOwners(machine, ask),
    readReferenced({ ref: bootstrap.configRef, namespace, isEnough: isBootstrapped }, ask),
    readReferenced({ ref: infrastructureRef, namespace, isEnough: isProvisioned }, ask),
    needsNode(machine, providerID) ? readKubeconfig(clusterNameOf(machine), ask) : undefined,
  ]);
  return 'error' in owners ? owners : { machine, ...owners, bootstrap: config, infrastructure, settings, kubeconfig };
}

// A provider that was upgraded may report in another contract. So only what is done may be known from a remembered one.
const isBootstrapped: IsEnough = (config, { contract }) => valueOr(readDataSecretCreated(config, contract), false);
const isProvisioned: IsEnough = (object, { contract }) => valueOr(readProvisioned(object, contract), false);

function clusterNameOf({ metadata, spec }: WholeMachine) {
  return { metadata: { namespace: metadata.namespace, name: spec.clusterName } };
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

interface PhasesObserving extends Observing {
  readonly ask: ContractReads & MachinePorts;
}

async function observePhases(
  read: ObservedObjects,
  kubeconfig: Kubeconfig,
  observing: PhasesObserving,
): Promise<MachineScope> {
  const { ask, pass, settings, postponements } = observing;
  const externals = planExternals(read);
  const { machine, cluster } = read;
  const scoped = { bootstrap: externals.bootstrap.scoped, infrastructure: externals.infrastructure.scoped };
  const providerID = searchedProviderId(externals.providerID, { machine, infrastructure: scoped.infrastructure });
  const workload =
    cluster === undefined || !needsNode(machine, providerID)
      ? undefined
      : workloadOf(cluster, kubeconfig ?? (await readKubeconfig(cluster, ask)), { workloadApi: ask.workloadApi, pass });
  const isReported = isConnectionReported(cluster, settings);
  const searching = withNewAddresses(machine, externals.infrastructureStep);
  const found = await observeNode({ machine: searching, cluster, providerID, workload, isReported });
  const isAsked = workload !== undefined;
  const { lookup } = found;
  const observed: ObservedMachine = {
    ...read,
    lookup,
    isAsked,
    connection: toConnection(read, { lookup, isAsked, isReported, now: pass.now }),
    reportsOutage: reportsOutage(read, { lookup, isAsked }, observing),
  };
  const deletion = isDeleting(machine)
    ? await observeDeletion(
        {
          machine,
          cluster,
          ...scoped,
          ...nodeToRemove(machine, found),
          lookup: providerID === '' ? { state: 'noProviderID' } : lookup,
          isConnectionDead: isDead(observed.connection, pass.now),
          target: toTarget(cluster),
          settings,
          now: pass.now,
        },
        { ask, workload: workload ?? withoutNode, pass },
        postponements,
      )
    : undefined;
  const update = await observeUpdate({ machine, ...scoped, settings, now: pass.now }, ask, pass);
  return { ...observed, ...lateness(pass), externals, deletion, update, now: pass.now };
}

/** The time for reads was up at some point of the pass. */
function lateness({ signal }: Pass): Pick<ObservedMachine, 'isLate'> {
  return signal.aborted ? { isLate: true } : {};
}

/** One Machine of the batch reports an outage that the Cluster has not noticed. */
function reportsOutage(
  { machine, cluster, settings }: ObservedObjects,
  asked: Pick<ObservedMachine, 'lookup' | 'isAsked'>,
  { pass, outages }: PhasesObserving,
): boolean {
  return (
    cluster !== undefined &&
    isUnnoticedOutage({ ...asked, cluster, probesRemote: settings.probesRemote }) &&
    outages.claim({ cluster: cluster.metadata.uid, machine: machine.metadata.uid, now: pass.now })
  );
}

/** No stage asks about the Node of a Machine that has none. */
const withoutNode = unconnectedReads('the Machine has no Node');

function observeUpdate(
  scope: Parameters<typeof planUpdate>[0],
  ask: ContractReads & MachinePorts,
  pass: Pass,
): Promise<MachinePhase> {
  const calls = hooksOf(ask, pass);
  const object = scope.machine.metadata;
  return answerQuestions(planUpdate(scope), {
    updateHandlers: ({ metadata }) => calls.registered(updateMachine, metadata),
    updateMachine: request => calls.callAll(updateMachine, { object, request }),
  });
}

/** Before a providerID is known, nothing is asked of the workload cluster. */
function needsNode(machine: WholeMachine, providerID: string): boolean {
  return (providerID !== '' || machine.status.nodeRef.name !== '') && !isCompleted(machine);
}

interface Finding {
  readonly machine: WholeMachine;
  readonly cluster: Cluster | undefined;
  readonly providerID: string;
  readonly workload: WorkloadReads | undefined;
  readonly isReported: boolean;
}

async function observeNode({ machine, cluster, providerID, workload, isReported }: Finding): Promise<FoundNode> {
  if (workload !== undefined) {
    return findNode(machine, providerID, workload);
  }
  const namedNode = { state: 'gone' } as const;
  // After the deletion is completed, the Node is not looked up again.
  if (providerID !== '') {
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

interface Connecting extends Pick<FoundNode, 'lookup'> {
  readonly isAsked: boolean;
  readonly isReported: boolean;
  readonly now: number;
}

function toConnection(
  { machine, cluster, settings }: ObservedObjects,
  { isAsked, isReported, lookup, now }: Connecting,
): ConnectionState {
  if (cluster === undefined) {
    return { isConnected: false, lastSuccessAt: undefined, consecutiveFailures: 0 };
  }
  const own = {
    failingSince: readFirstFailures(machine).connection,
    wasConnected: machine.status.nodeRef.name !== '',
  };
  return connectionState(cluster, {
    isConnected: isAsked ? lookup.state !== 'notConnected' : isReported,
    now,
    own: settings.probesRemote ? undefined : own,
  });
}
