// Computes all conditions of one pass, in the order in which they depend on each other.
import {
  type Condition,
  type ConditionDraft,
  isInternalError,
  type SetOptions,
  setCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { MachineConclusion } from '../phases/conclude.ts';
import { pausedOf } from '../phases/gate.ts';
import { nodeConditions, nodeHealthyType, nodeReadyType } from './node.ts';
import {
  available,
  availableType,
  bootstrapConfigReady,
  bootstrapConfigReadyType,
  deleting,
  deletingType,
  infrastructureReady,
  infrastructureReadyType,
  ready,
  readyType,
  updating,
  updatingType,
  upToDate,
  upToDateType,
} from './ready.ts';

/** The condition types that this reconciler writes. */
export const ownedConditions: readonly string[] = [
  'Paused',
  availableType,
  readyType,
  bootstrapConfigReadyType,
  infrastructureReadyType,
  nodeReadyType,
  nodeHealthyType,
  deletingType,
  updatingType,
  upToDateType,
];

type ConditionOf = (
  conclusion: MachineConclusion,
  conditions: readonly Condition[],
) => readonly (ConditionDraft | undefined)[];

const inOrder: readonly ConditionOf[] = [
  ({ machine, cluster }) => [pausedOf(machine, cluster)],
  conclusion => [bootstrapConfigReady(conclusion)],
  conclusion => [infrastructureReady(conclusion)],
  // Without its Cluster, a Machine in deletion has no workload cluster.
  ({ cluster, settings, ...rest }) => (cluster === undefined ? [] : nodeConditions({ ...settings, ...rest, cluster })),
  conclusion => [deleting(conclusion)],
  conclusion => [updating(conclusion)],
  conclusion => [upToDate(conclusion)],
  (conclusion, conditions) => [ready(conclusion, conditions)],
  ({ machine, now }, conditions) => [available(machine, conditions, now)],
];

/** The condition list of the Machine after this pass. A late pass does not report that objects could not be read. */
export function toConditions(conclusion: MachineConclusion, options: SetOptions): readonly Condition[] {
  return inOrder.reduce<readonly Condition[]>(
    (list, conditionsOf) =>
      conditionsOf(conclusion, list).reduce<readonly Condition[]>(
        (set, draft) =>
          draft === undefined || (conclusion.isLate === true && isInternalError(draft))
            ? set
            : setCondition(set, draft, options),
        list,
      ),
    conclusion.machine.status.conditions,
  );
}
