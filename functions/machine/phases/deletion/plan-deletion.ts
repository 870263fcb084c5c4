// The deletion of a Machine: its stages in order, up to the first one that waits.
import { internalErrorMessage, reasonOf } from '@capi-serverless/cluster-api/conditions';
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { machineFinalizer } from '../machine-gate.ts';
import { patchProblem } from '../object-owner.ts';
import { always, type MachineStep } from '../step.ts';
import type { DeletionQuestion, DeletionScope } from './deletion-facts.ts';
import type { DeletionStage } from './deletion-stage.ts';
import { drainStage } from './drain-stage.ts';
import { preDrainHooks, preTerminateHooks } from './hooks.ts';
import { deleteNode } from './node-deletion.ts';
import { mayRemoveNode } from './node-removal.ts';
import { deleteBootstrap, deleteInfrastructure, infrastructureIsKnown } from './object-deletion.ts';
import { volumesStage } from './volumes-stage.ts';

export interface DeletionPlan {
  readonly actions: readonly Action[];
  readonly steps: readonly MachineStep[];
}

export const removeFinalizerId = 'finalizer:remove';

const completed = { reason: 'DeletionCompleted', message: 'Deletion completed' };

const withNode: readonly DeletionStage[] = [
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

/** Returns the plan, or the question whose answer it needs. Each question is asked at most once. */
export function planDeletion(scope: DeletionScope): DeletionPlan | { readonly ask: DeletionQuestion } {
  const { machine } = scope;
  if (isCompleted(machine)) {
    return { actions: [], steps: [always({ deleting: completed })] };
  }
  const removal = mayRemoveNode(scope);
  if ('ask' in removal) {
    return removal;
  }
  if (!removal.ok) {
    const deleting = { reason: 'InternalError', message: internalErrorMessage };
    return { actions: [], steps: [always({ deleting, errors: [removal.error] })] };
  }
  return runStages(removal.value ? withNode : withoutNode, scope);
}

/** Another finalizer keeps the Machine. Its name may belong to a new Machine already, so nothing is deleted again. */
export function isCompleted({ metadata, status }: WholeMachine): boolean {
  return (
    !metadata.finalizers.includes(machineFinalizer) && reasonOf(status.conditions, 'Deleting') === completed.reason
  );
}

function runStages(
  stages: readonly DeletionStage[],
  scope: DeletionScope,
): DeletionPlan | { readonly ask: DeletionQuestion } {
  const actions: Action[] = [];
  const steps: MachineStep[] = [];
  const awaited: string[] = [];
  for (const stage of stages) {
    const result = stage(scope);
    if (result.end === 'asks') {
      return { ask: result.question };
    }
    actions.push(...result.actions);
    steps.push(result.step);
    if (result.end === 'held') {
      return { actions, steps };
    }
    awaited.push(...(result.awaited === undefined ? [] : [result.awaited]));
  }
  const { machine } = scope;
  return {
    actions: [...actions, ...finalizerRemoval(machine)],
    steps: [
      ...steps,
      {
        change: { deleting: completed },
        needs: [
          // The stage of the action reports its failure.
          ...awaited.map(id => ({ id, problem: undefined })),
          { id: removeFinalizerId, problem: patchProblem(machine.object) },
        ],
      },
    ],
  };
}

/** The finalizer is removed after the status of the pass is written. Clients that watch the Machine see its last state. */
function finalizerRemoval({ object, metadata }: WholeMachine): readonly Action[] {
  if (!metadata.finalizers.includes(machineFinalizer)) {
    return [];
  }
  const others = metadata.finalizers.filter(finalizer => finalizer !== machineFinalizer);
  return [{ ...patchFinalizers(removeFinalizerId, object, others), afterStatus: true }];
}
