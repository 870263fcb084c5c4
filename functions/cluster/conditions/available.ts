// The condition Available. It summarizes the conditions that matter to users of the Cluster, and the availability
// gates.

import {
  type Condition,
  type ConditionDraft,
  defaultPriorityOf,
  orInternalError,
  type PriorityOf,
  summarizeConditions,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { AvailabilityGate } from '../../../shared/api/fields.ts';
import type { ObservedCluster } from '../seen.ts';

const type = 'Available';

/** The input conditions in the order of the message. Availability gates follow. */
const inputs = [
  'Deleting',
  'RemoteConnectionProbe',
  'InfrastructureReady',
  'ControlPlaneAvailable',
  'WorkersAvailable',
  'TopologyReconciled',
] as const;

const reasons = { issue: 'NotAvailable', unknown: 'AvailableUnknown', info: 'Available' };

/** While a Cluster is being deleted, these objects are expected to disappear. */
const externalTypes: readonly string[] = ['InfrastructureReady', 'ControlPlaneAvailable'];
const goneReasons: readonly string[] = ['ObjectDeleted', 'ObjectDoesNotExist'];

/**
 * With other reasons, a False TopologyReconciled reports an operation in progress. Such operations do not make a
 * Cluster unavailable.
 */
const topologyIssues: readonly string[] = ['ReconcileFailed', 'ClusterClassNotReconciled'];

/** `conditions`: the other conditions of the Cluster after this pass. */
export function available(seen: ObservedCluster, conditions: readonly Condition[]): ConditionDraft {
  const gates = gatesOf(seen);
  const negativeGates = gates.filter(gate => gate.polarity === 'Negative').map(gate => gate.conditionType);
  const negativePolarity = ['Deleting', ...negativeGates];
  const summary = summarizeConditions(conditions, type, {
    forTypes: [...inputs, ...gates.map(gate => gate.conditionType)],
    negativePolarity,
    ignoreIfMissing: [
      ...(seen.cluster.spec.topology.isDefined ? [] : ['TopologyReconciled']),
      ...(seen.remote.state === 'off' ? ['RemoteConnectionProbe'] : []),
    ],
    priorityOf: priorityOf(seen, negativePolarity),
    reasons,
  });
  return orInternalError(summary, type);
}

/** Returns the gates of the Cluster. If the Cluster has none, returns the gates of its class. */
function gatesOf({ cluster, clusterClass }: ObservedCluster): readonly AvailabilityGate[] {
  const own = cluster.spec.availabilityGates;
  return own.length > 0 ? own : (clusterClass?.spec.availabilityGates ?? []);
}

function priorityOf({ cluster }: ObservedCluster, negativePolarity: readonly string[]): PriorityOf {
  const byDefault = defaultPriorityOf(negativePolarity);
  return condition => {
    const { type: source, status, reason } = condition;
    if (externalTypes.includes(source) && isDeleting(cluster) && goneReasons.includes(reason)) {
      return 'Info';
    }
    const isOperation = source === 'TopologyReconciled' && status === 'False' && !topologyIssues.includes(reason);
    return isOperation ? 'Info' : byDefault(condition);
  };
}
