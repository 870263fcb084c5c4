// The public interface of the Machine reconciler for CLI commands.
import { addFinalizerId, type EarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { ownActionId } from '../../shared/external/object-owner.ts';
import { cordonId } from './phases/deletion/drain-stage.ts';
import { deleteNodeId } from './phases/deletion/node-deletion.ts';
import { storeFailuresId } from './phases/first-failures.ts';
import { machineFinalizer } from './phases/gate.ts';
import { patchNodeId } from './phases/node/node-phase.ts';
import { patchMachineId } from './phases/own-metadata.ts';
import type { MachinePlan } from './plan.ts';
import { previewOfMachine } from './preview/observe-preview.ts';
import { createMachineReconciler } from './reconciler.ts';
import { defaultSettings } from './settings.ts';
import { describeMachine } from './why/describe.ts';
import { waitOfMachine } from './why/explain.ts';

export const face = toFace({
  reconciler: createMachineReconciler({ ...defaultSettings, updatesInPlace: true }),
  asReported: { hooks: hooksThatAgree, workloadApi: workloadApiAsReported },
  whyOf: whyOfMachine,
  preview: previewOfMachine,
  waitOf: waitOfMachine,
  describe: describeMachine,
});

const reasons: Readonly<Record<string, string>> = {
  [addFinalizerId]: `the finalizer ${machineFinalizer} is missing: without it, the Machine could be deleted before its Node is drained`,
  [ownActionId('infrastructure')]:
    'spec.infrastructureRef of the Machine references it, and it lacks the owner reference or the label of the Cluster',
  [ownActionId('bootstrap')]:
    'spec.bootstrap.configRef of the Machine references it, and it lacks the owner reference or the label of the Cluster',
  [patchMachineId]:
    'the Machine lacks an owner or the label of its Cluster, or its providers report values that it does not have yet',
  [storeFailuresId]:
    'the connection, the deletion of the Node or its look-up failed for the first time, or this failure is over',
  [patchNodeId]: 'labels, annotations or taints of the Node differ from those of the Machine',
  [cordonId]: 'the Machine is being deleted: no further Pods may be scheduled on its Node while it is drained',
  [deleteNodeId]: 'the infrastructure of the Machine is gone, so its Node is deleted',
  [removeFinalizerId]: 'everything that the deletion of the Machine waits for is gone',
};

/** Returns `undefined` for an unknown action. */
export function whyOfMachine({ action }: ExplainedAction<MachinePlan | EarlyEnd>): string | undefined {
  if (action.do === 'evict') {
    return 'the drain evicts this Pod from the Node of the Machine';
  }
  if (action.id.startsWith('update:')) {
    return 'the in-place update of the Machine needs it';
  }
  const reason = reasons[action.id];
  return reason ?? (action.do === 'delete' ? 'the Machine is being deleted and its Node is drained' : undefined);
}
