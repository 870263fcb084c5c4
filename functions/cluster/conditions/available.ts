// Available: the summary of what a user of the Cluster depends on, and of the gates that its author added.

import {
  type Condition,
  type ConditionDraft,
  defaultPriorityOf,
  type PriorityOf,
  summarizeConditions,
} from '@capi-serverless/cluster-api/conditions';
import type { AvailabilityGate } from '../../../shared/api/fields.ts';
import { isDeleting } from '../phases/gate.ts';
import type { WholeView } from '../seen.ts';
import { orInternalError } from './internal-error.ts';

const type = 'Available';

/** The inputs, in the order of the message; availability gates follow. */
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

/** Other reasons of a False TopologyReconciled report an operation in progress, which does not make a Cluster unavailable. */
const topologyIssues: readonly string[] = ['ReconcileFailed', 'ClusterClassNotReconciled'];

/** `conditions`: the Cluster's other conditions as this pass leaves them. */
export function available(seen: WholeView, conditions: readonly Condition[]): ConditionDraft {
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

/** The Cluster's own gates, or else those of its class. */
function gatesOf({ cluster, clusterClass }: WholeView): readonly AvailabilityGate[] {
  const own = cluster.spec.availabilityGates;
  return own.length > 0 ? own : (clusterClass?.spec.availabilityGates ?? []);
}

function priorityOf({ cluster }: WholeView, negativePolarity: readonly string[]): PriorityOf {
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
