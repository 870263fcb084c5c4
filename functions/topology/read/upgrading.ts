// Reads what workers run at present, to see which of them have not arrived at their Kubernetes version.
import type { Answer } from '../../../shared/api/answer.ts';
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { type Machine, readMachine } from '../../../shared/api/machine/reader.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { kubeconfigName, secretText } from '../../../shared/api/secret.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import type { Pass, Reads } from '../../../shared/kernel/types.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import {
  nodesOfPool,
  upgradingMachineDeployments,
  upgradingMachinePools,
} from '../../../shared/topology/upgrade/workers-upgrading.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';

/** Names of objects. */
export interface UpgradingWorkers {
  readonly machineDeployments: ReadonlySet<string>;
  readonly machinePools: ReadonlySet<string>;
}

/** One list of the Cluster's Machines if it has MachineDeployments; its Nodes if a MachinePool names any. */
export async function readUpgrading(
  { cluster, current }: { readonly cluster: Cluster; readonly current: Current },
  ask: Pick<Reads, 'get' | 'list'> & WorkloadNodesPort,
  pass: Pass,
): Promise<Checked<UpgradingWorkers>> {
  const pools = [...current.machinePools.values()].map(({ object }) => object);
  const [deployments, machinePools] = await Promise.all([
    readDeployments(cluster, current, ask),
    readPools({ cluster, pools }, ask, pass),
  ]);
  if (!deployments.ok) {
    return deployments;
  }
  return machinePools.ok
    ? valid({ machineDeployments: deployments.value, machinePools: machinePools.value })
    : machinePools;
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
