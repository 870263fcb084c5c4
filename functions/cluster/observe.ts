// Reads the objects for one pass over a Cluster, usually in two round trips. The first reads all objects that the
// Cluster references or selects. The second reads the objects whose API version comes from their CRD.
import {
  type Answer,
  answered,
  type Checked,
  invalid,
  type Reads,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import {
  clusterNameLabel,
  readFailureDomains,
  readInitialized,
  readProvisioned,
  readReplicaCounters,
  valueOr,
} from '@capi-serverless/cluster-api/contract';
import { blocked, type EarlyEnd, finalizerGate, type Pass, pausedGate, type Stop } from '@capi-serverless/reconciler';
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
import type { External } from '../../shared/external/external.ts';
import type { ContractReads } from '../../shared/external/read-in-contract.ts';
import { type IsEnough, readReferenced } from '../../shared/external/read-referenced.ts';
import { allowsClass } from '../../shared/topology/class-namespaces.ts';
import { planExternals } from './phases/externals.ts';
import { clusterFinalizer, pausedOf, waitsForTopology } from './phases/gate.ts';
import { specPatchProblem } from './phases/ownership.ts';
import type { ClusterWithExternals } from './plan.ts';
import { observeKubeconfig, observeRemote, type RemotePorts, readRemoteSecrets } from './remote.ts';
import type { ClusterSettings, DescendantLists } from './seen.ts';

interface Observing {
  readonly pass: Pass;
  readonly settings: ClusterSettings;
}

/** Stops if the Paused condition of the Cluster is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: ContractReads & RemotePorts,
  observing: Observing,
): Promise<ClusterWithExternals | EarlyEnd | Stop> {
  const cluster = readCluster(primary);
  const early =
    finalizerGate(cluster, clusterFinalizer, specPatchProblem(primary)) ?? pausedGate(cluster, pausedOf(cluster));
  if (early !== undefined) {
    return early;
  }
  if (waitsForTopology(cluster)) {
    const found = await readClass(cluster, ask, observing.settings);
    return found.ok ? toTopologyWait(cluster, found.value, observing.settings) : blocked(found.error);
  }
  return observeAll(cluster, ask, observing);
}

/**
 * Sends two round trips, then the probe of the workload cluster. A third one reads the certificate authority if the
 * kubeconfig is missing.
 */
async function observeAll(
  cluster: Cluster,
  ask: ContractReads & RemotePorts,
  observing: Observing,
): Promise<ClusterWithExternals | EarlyEnd> {
  const { pass, settings } = observing;
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  const { namespace } = cluster.metadata;
  const [secrets, clusterClass, lists, infrastructure, controlPlane] = await Promise.all([
    readRemoteSecrets(cluster, ask, observing),
    readClass(cluster, ask, settings),
    readLists(cluster, ask, settings),
    readReferenced({ ref: infrastructureRef, namespace, isEnough: isProvisioned }, ask),
    readReferenced({ ref: controlPlaneRef, namespace, isEnough: isCounted }, ask),
  ]);
  if (!clusterClass.ok) {
    return blocked(clusterClass.error);
  }
  const externals = planExternals({ cluster, infrastructure, controlPlane });
  const kubeconfig = await observeKubeconfig({ cluster, externals, secrets }, ask, pass.now);
  const remote = await observeRemote({ cluster, ...secrets }, ask, observing);
  return {
    step: 'phases',
    cluster,
    clusterClass: clusterClass.value,
    infrastructure,
    controlPlane,
    externals,
    lists,
    kubeconfig,
    remote,
    settings,
    ...(pass.signal.aborted ? { isLate: true } : {}),
  };
}

/** In another contract, failure domains have another type. */
const isProvisioned: IsEnough = (object, { contract }) =>
  valueOr(readProvisioned(object, contract), false) && readFailureDomains(object, contract).state !== 'wrongType';

/** In another contract, the counters of a control plane have other fields. */
const isCounted: IsEnough = (object, { contract }) =>
  valueOr(readInitialized(object, contract), false) &&
  Object.values(readReplicaCounters(object, contract)).every(({ state }) => state === 'value');

/**
 * Returns `undefined` if the Cluster has no topology, or if its class is of a namespace that is not allowed. The condition
 * TopologyReconciled reports such a class. The Cluster can still be deleted.
 */
async function readClass(
  cluster: Cluster,
  ask: Reads,
  { classNamespaces }: ClusterSettings,
): Promise<Checked<ClusterClass | undefined>> {
  const { topology } = cluster.spec;
  if (!topology.isDefined) {
    return valid(undefined);
  }
  const { name, namespace } = topology.classRef;
  const home = namespace === '' ? cluster.metadata.namespace : namespace;
  if (!allowsClass(classNamespaces, { cluster: cluster.metadata.namespace, clusterClass: home })) {
    return valid(undefined);
  }
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'ClusterClass', namespace: home, name });
  return answer.ok
    ? valid(readClusterClass(answer.value))
    : invalid(`failed to get ClusterClass ${home}/${name}: ${answer.failure.message}`);
}

async function readLists(cluster: Cluster, ask: Reads, settings: ClusterSettings): Promise<DescendantLists> {
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

/** Upstream runs no phase while it waits, so neither external objects nor descendants are read. */
function toTopologyWait(
  cluster: Cluster,
  clusterClass: ClusterClass | undefined,
  settings: ClusterSettings,
): ClusterWithExternals {
  const error = 'not read before the topology is reconciled';
  const toUnread = (ref: ContractReference): External =>
    isDefined(ref) ? { state: 'unreadable', ref, error } : { state: 'undefined' };
  const unread = invalid(error);
  const infrastructure = toUnread(cluster.spec.infrastructureRef);
  const controlPlane = toUnread(cluster.spec.controlPlaneRef);
  return {
    step: 'topologyWait',
    cluster,
    clusterClass,
    infrastructure,
    controlPlane,
    externals: planExternals({ cluster, infrastructure, controlPlane }),
    lists: { machineDeployments: unread, machineSets: unread, machinePools: unread, machines: unread },
    kubeconfig: { state: 'settled' },
    remote: settings.probesRemote ? { state: 'skipped', isAwaited: false } : { state: 'off' },
    settings,
  };
}
