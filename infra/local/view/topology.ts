// What a managed topology waits for, told from the conditions of its Cluster alone. Pure.
import type { Unstructured } from '../../../shared/api/object.ts';
import { conditionsOf, type Wait } from './waiting.ts';

/** By reason of the condition TopologyReconciled. */
const waits: Readonly<Record<string, string>> = {
  Paused: 'its pause to end',
  ReconcileFailed: 'what keeps its topology from being made',
  Deleting: 'leave to be deleted',
  ClusterClassNotReconciled: 'its ClusterClass to be reconciled',
  ClusterCreating: 'a hook to let its objects be made',
  ClusterUpgrading: 'its upgrade',
  MachineDeploymentsUpgradeDeferred: 'MachineDeployments whose upgrade is deferred',
  MachinePoolsUpgradeDeferred: 'MachinePools whose upgrade is deferred',
};

/** `undefined` when the topology is as it shall be, or nobody has looked yet. */
export function waitOfTopology(cluster: Unstructured): Wait | undefined {
  const condition = conditionsOf(cluster).find(({ type }) => type === 'TopologyReconciled');
  return condition === undefined || condition.status === 'True'
    ? undefined
    : { until: waits[condition.reason] ?? 'its topology', condition };
}
