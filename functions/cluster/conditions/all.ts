// Computes all conditions of one pass. The summary condition needs the other conditions, so it is computed last.
import {
  type Condition,
  type ConditionDraft,
  defaultPriorityOf,
  isInternalError,
  orInternalError,
  type PriorityOf,
  type SetOptions,
  setCondition,
  summarizeConditions,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { remoteConnectionType } from '../../../shared/api/cluster/remote-connection.ts';
import type { AvailabilityGate } from '../../../shared/api/fields.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { pausedOf } from '../phases/gate.ts';
import type { ObservedCluster } from '../seen.ts';
import {
  controlPlaneAvailable,
  controlPlaneInitialized,
  infrastructureReady,
  remoteConnectionProbe,
} from './external-conditions.ts';
import {
  controlPlaneMachinesReady,
  controlPlaneMachinesUpToDate,
  remediating,
  rollingOut,
  scalingDown,
  scalingUp,
  workerMachinesReady,
  workerMachinesUpToDate,
  workersAvailable,
} from './worker-conditions.ts';

/** All conditions that do not depend on other conditions, by type. `undefined` keeps the stored condition. */
const conditionsOf: Readonly<Record<string, (conclusion: Conclusion) => ConditionDraft | undefined>> = {
  Paused: ({ scope }) => pausedOf(scope.seen.cluster),
  RemoteConnectionProbe: remoteConnectionProbe,
  InfrastructureReady: infrastructureReady,
  ControlPlaneAvailable: controlPlaneAvailable,
  ControlPlaneInitialized: controlPlaneInitialized,
  WorkersAvailable: workersAvailable,
  ControlPlaneMachinesReady: controlPlaneMachinesReady,
  WorkerMachinesReady: workerMachinesReady,
  ControlPlaneMachinesUpToDate: controlPlaneMachinesUpToDate,
  WorkerMachinesUpToDate: workerMachinesUpToDate,
  RollingOut: rollingOut,
  ScalingUp: scalingUp,
  ScalingDown: scalingDown,
  Remediating: remediating,
  Deleting: deleting,
};

/** The condition types that this reconciler writes. */
export const ownedConditions: readonly string[] = [...Object.keys(conditionsOf), 'Available'];

/** The condition list of the Cluster after this pass. A late pass does not report that objects could not be read. */
export function toConditions(conclusion: Conclusion, options: SetOptions): readonly Condition[] {
  const { seen } = conclusion.scope;
  const others = Object.values(conditionsOf).reduce<readonly Condition[]>((list, conditionOf) => {
    const draft = conditionOf(conclusion);
    return draft === undefined || (seen.isLate && isInternalError(draft)) ? list : setCondition(list, draft, options);
  }, storedConditions(seen));
  return setCondition(others, available(seen, others), options);
}

/** If probes are disabled, no pass updates RemoteConnectionProbe. Therefore a stored condition is removed. */
function storedConditions({ cluster, remote }: ObservedCluster): readonly Condition[] {
  const { conditions } = cluster.status;
  return remote.state === 'off' ? conditions.filter(({ type }) => type !== remoteConnectionType) : conditions;
}

/** The reason and the message come from the delete phase. */
function deleting({ scope, progress }: Conclusion): ConditionDraft {
  return isDeleting(scope.seen.cluster)
    ? { type: 'Deleting', status: 'True', ...progress.deleting }
    : { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' };
}

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
function available(seen: ObservedCluster, conditions: readonly Condition[]): ConditionDraft {
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
