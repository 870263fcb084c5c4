// The deletion of the infrastructure machine, and after it of the bootstrap config.
import { toRef } from '@capi-serverless/apimachinery';
import { type Action, failureOf } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { InScope, Scoped } from '../../../../shared/external/external.ts';
import { ownActionId } from '../../../../shared/external/object-owner.ts';
import { bootstrapReadyType } from '../bootstrap.ts';
import { deletedCondition } from '../external.ts';
import { infrastructureReadyType } from '../infrastructure.ts';
import type { MachineExternalRole } from '../ownership.ts';
import type { MachineStep, Stage } from '../pass-progress.ts';
import { type DeletionStage, held, passed, type StageEnd, storedStage } from './deletion-stage.ts';

const rulesOf: Readonly<Record<MachineExternalRole, { readonly reason: string; readonly v1beta1: string }>> = {
  infrastructure: { reason: 'WaitingForInfrastructureDeletion', v1beta1: infrastructureReadyType },
  bootstrap: { reason: 'WaitingForBootstrapDeletion', v1beta1: bootstrapReadyType },
};

/**
 * An infrastructure machine that could not be read may still run. The deletion keeps its stage until it is read: a Node
 * must be drained before hooks are announced.
 */
export const infrastructureIsKnown: DeletionStage = ({ machine, infrastructure }) => {
  if (infrastructure.state !== 'unknown') {
    return passed();
  }
  return held({ deleting: storedStage(machine) ?? waitingFor('infrastructure', infrastructure.ref.kind) });
};

export const deleteInfrastructure: DeletionStage = ({ machine, infrastructure }) =>
  deleteObject('infrastructure', infrastructure, machine);

export const deleteBootstrap: DeletionStage = ({ machine, bootstrap }) => deleteObject('bootstrap', bootstrap, machine);

function deleteObject(role: MachineExternalRole, scoped: Scoped, machine: WholeMachine): StageEnd {
  switch (scoped.state) {
    case 'undefined':
      return passed();
    case 'missing':
      return passed({ v1beta1: [deletedCondition(rulesOf[role].v1beta1)] });
    case 'unknown':
      return held({ deleting: waitingFor(role, scoped.ref.kind) });
    case 'inScope':
      return scoped.object.metadata.deletionTimestamp === undefined
        ? { end: 'held', step: deletionStep(role, scoped, machine), actions: [deleteAction(role, scoped)] }
        : held({ deleting: waitingFor(role, scoped.ref.kind) });
  }
}

function deleteId(role: MachineExternalRole): string {
  return `delete:${role}`;
}

function deleteAction(role: MachineExternalRole, { object }: InScope): Action {
  return {
    id: deleteId(role),
    onError: 'continue',
    do: 'delete',
    ref: toRef(object),
    uid: object.metadata.uid,
    when: outcomes => failureOf(outcomes, ownActionId(role)) === undefined,
  };
}

function deletionStep(role: MachineExternalRole, { ref, object }: InScope, { metadata }: WholeMachine): MachineStep {
  const what = `${ref.kind} "${object.metadata.name}" for Machine "${metadata.name}" in namespace "${metadata.namespace}"`;
  return {
    change: { deleting: waitingFor(role, ref.kind) },
    needs: [
      // The phase of the object reports an owner reference that could not be written.
      { id: ownActionId(role), problem: undefined },
      { id: deleteId(role), problem: `failed to delete ${what}` },
    ],
    otherwise: {
      deleting: {
        reason: 'InternalError',
        message: `Failed to delete ${ref.kind}, please check controller logs for errors`,
      },
    },
  };
}

function waitingFor(role: MachineExternalRole, kind: string): Stage {
  return { reason: rulesOf[role].reason, message: `Waiting for ${kind} to be deleted` };
}
