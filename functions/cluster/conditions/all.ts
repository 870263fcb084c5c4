// Computes all conditions of one pass. The summary condition needs the other conditions, so it is computed last.

import {
  type Condition,
  type ConditionDraft,
  isInternalError,
  type SetOptions,
  setCondition,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { remoteConnectionType } from '../../../shared/api/cluster/remote-connection.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { pausedOf } from '../phases/gate.ts';
import type { ObservedCluster } from '../seen.ts';
import { available } from './available.ts';
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
