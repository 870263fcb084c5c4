// What a user can do about a managed topology that is not as its Cluster says, by what TopologyReconciled tells. Pure.
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { blockingHooksAnnotation } from '../../../shared/runtime-hooks/rules/blocks.ts';
import { deferUpgradeAnnotation, holdUpgradeSequenceAnnotation } from '../../../shared/topology/model/keys.ts';
import { annotate } from './remedies.ts';
import type { ShownCondition } from './waiting.ts';

export function remediesOfTopology(cluster: Unstructured, condition: ShownCondition): readonly string[] {
  const { reason, message } = condition;
  switch (reason) {
    case 'ReconcileFailed':
      return remediesOfFailure(cluster, message);
    case 'ClusterClassNotReconciled':
      return [lookAtClass(cluster)];
    case 'ClusterCreating':
      return [askHooks(cluster)];
    case 'ClusterUpgrading':
      return tellsOfHooks(condition)
        ? [askHooks(cluster)]
        : ['nothing to do, one step follows the other; docs/upgrades.md says what each line means'];
    case 'MachineDeploymentsUpgradeDeferred':
    case 'MachinePoolsUpgradeDeferred':
      return [
        `take ${deferUpgradeAnnotation} or ${holdUpgradeSequenceAnnotation} away from them in spec.topology.workers when they shall go on`,
      ];
    default:
      return [];
  }
}

function remediesOfFailure(cluster: Unstructured, message: string): readonly string[] {
  if (message.startsWith('ClusterClass is not successfully reconciled')) {
    return [lookAtClass(cluster)];
  }
  if (message.startsWith('failed to retrieve ClusterClass')) {
    return [`create ClusterClass ${classOf(cluster)}, or name another one in spec.topology.classRef`];
  }
  const { name, namespace = '' } = cluster.metadata;
  return [
    'mend what the message names; it is tried again by itself',
    `see what the next reconcile would do: npm run plan -- topology ${namespace}/${name}`,
  ];
}

function lookAtClass(cluster: Unstructured): string {
  return `see what its class waits for: npm run why -- clusterclass ${classOf(cluster)}`;
}

function classOf(cluster: Unstructured): string {
  const { metadata, spec } = readCluster(cluster);
  const { namespace, name } = spec.topology.classRef;
  return `${namespace === '' ? metadata.namespace : namespace}/${name}`;
}

export function tellsOfHooks({ message }: ShownCondition): boolean {
  return message.includes('hooks are blocking');
}

export function askHooks(cluster: Unstructured): string {
  return `wait for who holds it up, who is asked again by itself; to ask now: ${annotate(cluster, `${blockingHooksAnnotation}-`)}`;
}
