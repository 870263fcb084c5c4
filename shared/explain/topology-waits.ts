// Explains what a managed topology waits for, and the remedy. Derived from the condition TopologyReconciled. Pure.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { readCluster } from '../api/cluster/reader.ts';
import { blockingHooksAnnotation } from '../runtime-hooks/rules/blocks.ts';
import { deferUpgradeAnnotation, holdUpgradeSequenceAnnotation } from '../topology/model/keys.ts';
import { type ConditionView, conditionOf, type Wait } from './conditions.ts';
import { annotate } from './kubectl.ts';

/** The texts by reason of the condition TopologyReconciled. */
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

/** Returns `undefined` if the topology is reconciled, or before its first reconcile. */
export function waitOfTopology(cluster: Unstructured): Wait | undefined {
  const condition = conditionOf(cluster, 'TopologyReconciled');
  return condition === undefined || condition.status === 'True'
    ? undefined
    : { until: waits[condition.reason] ?? 'its topology', condition };
}

export function remediesOfTopology(cluster: Unstructured, condition: ConditionView): readonly string[] {
  const { reason, message } = condition;
  switch (reason) {
    case 'ReconcileFailed':
      return remediesOfFailure(cluster, message);
    case 'ClusterClassNotReconciled':
      return [readClass(cluster)];
    case 'ClusterCreating':
      return [askHooks(cluster)];
    case 'ClusterUpgrading':
      return mentionsHooks(condition)
        ? [askHooks(cluster)]
        : ['nothing to do, the upgrade continues by itself; docs/upgrades.md explains each line'];
    case 'MachineDeploymentsUpgradeDeferred':
    case 'MachinePoolsUpgradeDeferred':
      return [
        `remove ${deferUpgradeAnnotation} or ${holdUpgradeSequenceAnnotation} from them in spec.topology.workers to continue`,
      ];
    default:
      return [];
  }
}

function remediesOfFailure(cluster: Unstructured, message: string): readonly string[] {
  if (message.startsWith('ClusterClass is not successfully reconciled')) {
    return [readClass(cluster)];
  }
  if (message.startsWith('failed to retrieve ClusterClass')) {
    return [`create ClusterClass ${classOf(cluster)}, or name another one in spec.topology.classRef`];
  }
  const { name, namespace = '' } = cluster.metadata;
  return [
    'fix the cause in the message; the reconciler retries by itself',
    `see what the next reconcile would do: npx capi-serverless plan topology ${namespace}/${name}`,
  ];
}

function readClass(cluster: Unstructured): string {
  return `see what its class waits for: npx capi-serverless why clusterclass ${classOf(cluster)}`;
}

function classOf(cluster: Unstructured): string {
  const { metadata, spec } = readCluster(cluster);
  const { namespace, name } = spec.topology.classRef;
  return `${namespace === '' ? metadata.namespace : namespace}/${name}`;
}

export function mentionsHooks({ message }: ConditionView): boolean {
  return message.includes('hooks are blocking');
}

export function askHooks(cluster: Unstructured): string {
  return `wait for the blocking extension, which is called again by itself; to call it now: ${annotate(cluster, `${blockingHooksAnnotation}-`)}`;
}
