// Reads the current versions of workers, to determine which ones are upgrading.
import {
  type Answer,
  all,
  type Checked,
  invalid,
  type Reads,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Pass } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { type Machine, readMachine } from '../../../shared/api/machine/reader.ts';
import { kubeconfigName, secretText } from '../../../shared/api/secret.ts';
import {
  nodesOfPool,
  upgradingMachineDeployments,
  upgradingMachinePools,
} from '../../../shared/topology/upgrade/workers-upgrading.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';
import type { Current } from '../plan/current/current-topology.ts';
import type { UpgradingWorkers } from '../plan/upgrade/topology-versions.ts';

/**
 * Lists the Machines of the Cluster once if it has MachineDeployments. Lists its Nodes if a MachinePool references any.
 */
export async function readUpgrading(
  { cluster, current }: { readonly cluster: Cluster; readonly current: Current },
  ask: Pick<Reads, 'get' | 'list'> & WorkloadNodesPort,
  pass: Pass,
): Promise<Checked<UpgradingWorkers>> {
  const pools = [...current.machinePools.values()].map(({ object }) => object);
  const [machineDeployments, machinePools] = await Promise.all([
    readDeployments(cluster, current, ask),
    readPools({ cluster, pools }, ask, pass),
  ]);
  return all({ machineDeployments, machinePools });
}

async function readDeployments(
  { metadata }: Cluster,
  { machineDeployments }: Current,
  ask: Pick<Reads, 'list'>,
): Promise<Checked<ReadonlySet<string>>> {
  const deployments = [...machineDeployments.values()].map(({ object }) => object);
  if (deployments.length === 0) {
    return valid(new Set<string>());
  }
  const machines: Answer<readonly Machine[]> = await ask.list(
    {
      apiVersion: clusterApiVersion,
      kind: 'Machine',
      namespace: metadata.namespace,
      labels: { [clusterNameLabel]: metadata.name },
    },
    raw => readMachine(raw as Unstructured), // True: a list holds objects.
  );
  if (!machines.ok) {
    const cause = `failed to list Machines of Cluster ${toDisplayName(metadata)}: ${machines.failure.message}`;
    return invalid(`failed to check which MachineDeployments are upgrading: ${cause}`);
  }
  return upgradingMachineDeployments(deployments, machines.value);
}

async function readPools(
  { cluster, pools }: { readonly cluster: Cluster; readonly pools: readonly Unstructured[] },
  ask: Pick<Reads, 'get'> & WorkloadNodesPort,
  pass: Pass,
): Promise<Checked<ReadonlySet<string>>> {
  const nodes = [...new Set(pools.flatMap(nodesOfPool))];
  if (nodes.length === 0) {
    return valid(new Set<string>());
  }
  const { uid, namespace } = cluster.metadata;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: kubeconfigName(cluster) };
  const secret = await ask.get(ref);
  if (!secret.ok) {
    const cause = secret.missing
      ? 'connection to the workload cluster is down'
      : `failed to get Secret ${toDisplayName(ref)}: ${secret.failure.message}`;
    return invalid(`failed to check if any MachinePool is upgrading: error getting client: ${cause}`);
  }
  const target = {
    cluster: uid,
    origin: `in Secret ${toDisplayName(ref)}`,
    kubeconfig: secretText(secret.value, 'value'),
    version: secret.value.metadata.resourceVersion,
  };
  return upgradingMachinePools(pools, await ask.nodes.kubeletVersions(target, nodes, pass.signal));
}
