// The deletion of a Machine: its stages in order, up to the first one that waits.
import { internalErrorMessage, reasonOf } from '@capi-serverless/cluster-api/conditions';
import {
  type Action,
  type AskingPlan,
  concluded,
  inOrder,
  type Outcomes,
  onlyIf,
  patchProblem,
  removeFinalizer,
  removeFinalizerId,
} from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { readFirstFailures } from '../first-failures.ts';
import { machineFinalizer } from '../gate.ts';
import { gapWithoutNodeMs } from '../node/gaps.ts';
import { connectionDown } from '../node/lookup.ts';
import type { MachineChange, MachinePhase, MachineStep } from '../pass-progress.ts';
import type { DeletionQuestion, DeletionScope, NodeRemovalScope } from './deletion-scope.ts';
import { type DeletionCheck, type DeletionStage, unanswered } from './deletion-stage.ts';
import { drainStage } from './drain-stage.ts';
import { preDrainHooks, preTerminateHooks } from './hooks.ts';
import { deleteNode } from './node-deletion.ts';
import { type NodeRemoval, nodeRemovalOf } from './node-removal.ts';
import { deleteBootstrap, deleteInfrastructure, infrastructureIsKnown } from './object-deletion.ts';
import { volumesStage } from './volumes-stage.ts';

export interface PlannedDeletion extends MachinePhase {
  /** The check of this pass that is repeated later. */
  readonly check?: DeletionCheck | undefined;
}

const completed = { reason: 'DeletionCompleted', message: 'Deletion completed' };

const withNode: readonly DeletionStage<NodeRemovalScope>[] = [
  preDrainHooks,
  infrastructureIsKnown,
  drainStage,
  volumesStage,
  preTerminateHooks,
  deleteInfrastructure,
  deleteBootstrap,
  deleteNode,
];

const withoutNode: readonly DeletionStage[] = [
  infrastructureIsKnown,
  preTerminateHooks,
  deleteInfrastructure,
  deleteBootstrap,
];

/** Each stage asks for what it needs, so a stage that waits for a hook reads no Pods. */
export function* planDeletion(scope: DeletionScope): AskingPlan<DeletionQuestion, PlannedDeletion> {
  if (isCompleted(scope.machine)) {
    return concluded({ deleting: completed });
  }
  const removal = yield* nodeRemovalOf(scope);
  switch (removal.state) {
    case 'failed':
      return concluded({
        deleting: { reason: 'InternalError', message: internalErrorMessage },
        errors: [removal.error],
      });
    case 'awaitsLookup':
      return concluded(awaitingLookup(scope, removal));
    case 'removes':
      return yield* runStages(withNode, removal.scope);
    case 'stays':
      return yield* runStages(withoutNode, scope);
  }
}

const lookupFailed = 'Failed to look up the Node of the Machine, please check controller logs for errors';
const lookupLost = `Waiting for the look-up of the Node of the Machine: ${connectionDown}`;

/** The Node phase reports the error. */
function awaitingLookup(
  { machine, settings, now }: DeletionScope,
  { cause, error }: Extract<NodeRemoval, { readonly state: 'awaitsLookup' }>,
): MachineChange {
  if (cause === 'aborted') {
    return unanswered({ machine }, error);
  }
  const { nodeLookup: failingSince = now } = readFirstFailures(machine);
  return {
    deleting: { reason: 'InternalError', message: cause === 'failed' ? lookupFailed : lookupLost },
    firstFailures: { nodeLookup: failingSince },
    retries: [gapWithoutNodeMs(failingSince, { now, resyncPeriodMs: settings.resyncPeriodMs })],
  };
}

/** Another finalizer keeps the Machine. Its name may belong to a new Machine already, so nothing is deleted again. */
export function isCompleted({ metadata, status }: WholeMachine): boolean {
  return (
    !metadata.finalizers.includes(machineFinalizer) && reasonOf(status.conditions, 'Deleting') === completed.reason
  );
}

function* runStages<Scope extends DeletionScope>(
  stages: readonly DeletionStage<Scope>[],
  scope: Scope,
): AskingPlan<DeletionQuestion, PlannedDeletion> {
  const actions: Action[] = [];
  const steps: MachineStep[] = [];
  const endConditions: ((outcomes: Outcomes) => boolean)[] = [];
  for (const stage of stages) {
    const started = stage(scope);
    const result = 'end' in started ? started : yield* started;
    actions.push(...result.actions);
    steps.push(result.step);
    if (result.end === 'held') {
      return { actions, steps, check: result.check };
    }
    endConditions.push(...(result.isDone === undefined ? [] : [result.isDone]));
  }
  const isDone = (outcomes: Outcomes): boolean => endConditions.every(isMet => isMet(outcomes));
  return inOrder([{ actions, steps }, onlyIf(isDone, completion(scope.machine))]);
}

function completion({ object }: WholeMachine): MachinePhase {
  return {
    actions: removeFinalizer(object, machineFinalizer),
    steps: [{ change: { deleting: completed }, needs: [{ id: removeFinalizerId, problem: patchProblem(object) }] }],
  };
}
