// Reads what one pass over a Cluster must know, in two trips as a rule: everything the Cluster names or selects, then the
// objects whose API version only their CRD could tell.
import { type Answer, answered } from '../../shared/api/answer.ts';
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import {
  type Cluster,
  type ContractReference,
  clusterApiVersion,
  isDefined,
  readCluster,
} from '../../shared/api/cluster/reader.ts';
import { type ClusterClass, readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { readMachine } from '../../shared/api/machine/reader.ts';
import { readMachineDeployment } from '../../shared/api/machine-deployment/reader.ts';
import { readMachinePool } from '../../shared/api/machine-pool/reader.ts';
import { readMachineSet } from '../../shared/api/machine-set/reader.ts';
import { type ObjectMeta, toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import { type Contract, chooseContract } from '../../shared/contract/contract-version.ts';
import { clusterNameLabel } from '../../shared/contract/owner-references.ts';
import type { Pass, Reads, Stop } from '../../shared/kernel/types.ts';
import { crdNameOf } from '../../shared/names/plural.ts';
import { gateOf, waitsForTopology } from './phases/gate.ts';
import { runPhases } from './phases/run.ts';
import { observeKubeconfig, observeRemote, type RemotePorts, readKubeconfig } from './remote.ts';
import type { DescendantLists, External, Seen, Settings, WholeView } from './seen.ts';

export interface Observing {
  readonly pass: Pass;
  readonly settings: Settings;
}

/** Stops at a Cluster that is paused and says so. What the pass does not need is not read. */
export async function observe(
  primary: Unstructured,
  ask: Reads & RemotePorts,
  observing: Observing,
): Promise<Seen | Stop> {
  const cluster = readCluster(primary);
  const gate = gateOf(cluster);
  if (gate === 'paused') {
    return { stop: 'paused' };
  }
  if (gate !== 'open') {
    return { step: gate, cluster };
  }
  if (waitsForTopology(cluster)) {
    const found = await readClass(cluster, ask);
    return found.ok ? toTopologyWait(cluster, found.value, observing.settings) : toClassError(cluster, found.error);
  }
  return observeAll(cluster, ask, observing);
}

/** Two trips; a third only to have a kubeconfig signed for an endpoint that the second one has just told. */
async function observeAll(cluster: Cluster, ask: Reads & RemotePorts, observing: Observing): Promise<Seen> {
  const { pass, settings } = observing;
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  const [secret, clusterClass, lists, infrastructureContract, controlPlaneContract] = await Promise.all([
    readKubeconfig(cluster, ask, observing),
    readClass(cluster, ask),
    readLists(cluster, ask, settings),
    readContract(infrastructureRef, ask),
    readContract(controlPlaneRef, ask),
  ]);
  if (!clusterClass.ok) {
    return toClassError(cluster, clusterClass.error);
  }
  const { namespace } = cluster.metadata;
  const [remote, infrastructure, controlPlane] = await Promise.all([
    observeRemote({ cluster, secret }, ask, observing),
    readExternal({ ref: infrastructureRef, namespace, contract: infrastructureContract }, ask),
    readExternal({ ref: controlPlaneRef, namespace, contract: controlPlaneContract }, ask),
  ]);
  const view: WholeView = {
    step: 'phases',
    cluster,
    clusterClass: clusterClass.value,
    infrastructure,
    controlPlane,
    lists,
    kubeconfig: { state: 'settled' },
    remote: remote.state,
    settings,
  };
  const { endpoint } = runPhases(view, new Map(), pass.now).progress;
  const kubeconfig = await observeKubeconfig({ cluster, endpoint, remote }, ask, pass.now);
  return { ...view, kubeconfig };
}

/** `undefined` without topology. */
async function readClass(cluster: Cluster, ask: Reads): Promise<Checked<ClusterClass | undefined>> {
  const { topology } = cluster.spec;
  if (!topology.isDefined) {
    return valid(undefined);
  }
  const { name, namespace } = topology.classRef;
  const home = namespace === '' ? cluster.metadata.namespace : namespace;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'ClusterClass', namespace: home, name });
  return answer.ok
    ? valid(readClusterClass(answer.value))
    : invalid(`failed to get ClusterClass ${home}/${name}: ${answer.failure.message}`);
}

async function readLists(cluster: Cluster, ask: Reads, settings: Settings): Promise<DescendantLists> {
  const { namespace, name } = cluster.metadata;
  const ofCluster = { apiVersion: clusterApiVersion, namespace, labels: { [clusterNameLabel]: name } };
  const [machineDeployments, machineSets, machinePools, machines] = await Promise.all([
    ask.list({ ...ofCluster, kind: 'MachineDeployment' }),
    ask.list({ ...ofCluster, kind: 'MachineSet' }),
    settings.countsMachinePools ? ask.list({ ...ofCluster, kind: 'MachinePool' }) : answered([]),
    ask.list({ ...ofCluster, kind: 'Machine' }),
  ]);
  return {
    machineDeployments: toList(machineDeployments, readMachineDeployment),
    machineSets: toList(machineSets, readMachineSet),
    machinePools: toList(machinePools, readMachinePool),
    machines: toList(machines, readMachine),
  };
}

function toList<T>(answer: Answer<readonly Unstructured[]>, read: (object: Unstructured) => T): Checked<readonly T[]> {
  return answer.ok ? valid(answer.value.map(read)) : invalid(answer.failure.message);
}

/** `undefined` without reference. */
async function readContract(ref: ContractReference, ask: Reads): Promise<Checked<Contract> | undefined> {
  if (!isDefined(ref)) {
    return undefined;
  }
  const name = crdNameOf({ group: ref.apiGroup, kind: ref.kind });
  const answer = await ask.metadata({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
  return toContract(answer);
}

/** Upstream reads the CRD two or three times a pass; once is enough, and cannot disagree with itself. */
function toContract(crd: Answer<ObjectMeta>): Checked<Contract> {
  return crd.ok
    ? chooseContract(crd.value)
    : invalid(`failed to get object from ref: failed to get CustomResourceDefinition metadata: ${crd.failure.message}`);
}

interface Named {
  readonly ref: ContractReference;
  readonly namespace: string;
  readonly contract: Checked<Contract> | undefined;
}

async function readExternal({ ref, namespace, contract }: Named, ask: Reads): Promise<External> {
  if (contract === undefined) {
    return { state: 'undefined' };
  }
  if (!contract.ok) {
    return { state: 'unreadable', ref, error: contract.error };
  }
  const { kind, name } = ref;
  const answer = await ask.get({ apiVersion: `${ref.apiGroup}/${contract.value.version}`, kind, namespace, name });
  if (answer.ok) {
    return { state: 'found', ref, object: answer.value, contract: contract.value.contract };
  }
  const error = `failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${answer.failure.message}`;
  return answer.missing ? { state: 'missing', ref } : { state: 'unreadable', ref, error };
}

/** Upstream runs no phase while it waits, so nothing below the Cluster is known. */
function toTopologyWait(cluster: Cluster, clusterClass: ClusterClass | undefined, settings: Settings): Seen {
  const error = 'not read before the topology is reconciled';
  const toUnread = (ref: ContractReference): External =>
    isDefined(ref) ? { state: 'unreadable', ref, error } : { state: 'undefined' };
  const unread = invalid(error);
  return {
    step: 'topologyWait',
    cluster,
    clusterClass,
    infrastructure: toUnread(cluster.spec.infrastructureRef),
    controlPlane: toUnread(cluster.spec.controlPlaneRef),
    lists: { machineDeployments: unread, machineSets: unread, machinePools: unread, machines: unread },
    kubeconfig: { state: 'settled' },
    remote: settings.probesRemote ? { state: 'skipped', isAwaited: false } : { state: 'off' },
    settings,
  };
}

function toClassError(cluster: Cluster, error: string): Seen {
  return { step: 'clusterClassError', cluster, error };
}
