// All conditions of one pass, in the order in which they are computed: the summary needs the others.
import type { Condition, ConditionDraft } from '../../../shared/conditions/condition.ts';
import { type SetOptions, setCondition } from '../../../shared/conditions/set.ts';
import { remoteConnectionType } from '../phases/remote-connection.ts';
import type { Phases } from '../phases/run.ts';
import type { WholeView } from '../seen.ts';
import { available } from './available.ts';
import { controlPlaneInitialized } from './control-plane-initialized.ts';
import { deleting } from './deleting.ts';
import { controlPlaneAvailable, infrastructureReady } from './external.ts';
import {
  controlPlaneMachinesReady,
  controlPlaneMachinesUpToDate,
  workerMachinesReady,
  workerMachinesUpToDate,
} from './machines.ts';
import { pausedCondition } from './paused.ts';
import { remediating } from './remediating.ts';
import { remoteConnectionProbe } from './remote-connection-probe.ts';
import { rollingOut, scalingDown, scalingUp } from './scaling.ts';
import { workersAvailable } from './workers-available.ts';

/** Each condition that stands for itself, by type. `undefined`: stays as stored. */
const conditionsOf: Readonly<Record<string, (phases: Phases) => ConditionDraft | undefined>> = {
  Paused: ({ context }) => pausedCondition(context.seen.cluster),
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

/** The Cluster's condition list as this pass leaves it. */
export function toConditions(phases: Phases, options: SetOptions): readonly Condition[] {
  const { seen } = phases.context;
  const standing = Object.values(conditionsOf).reduce<readonly Condition[]>((list, conditionOf) => {
    const draft = conditionOf(phases);
    return draft === undefined ? list : setCondition(list, draft, options);
  }, storedConditions(seen));
  return setCondition(standing, available(seen, standing), options);
}

/** What nobody looks at any more would stand there for ever. */
function storedConditions({ cluster, remote }: WholeView): readonly Condition[] {
  const { conditions } = cluster.status;
  return remote.state === 'off' ? conditions.filter(({ type }) => type !== remoteConnectionType) : conditions;
}
