// The errors of the creation of Machines, as the result of the pass and in the deprecated condition MachinesCreated.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { v1Beta1False } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import type { MachineSetChange } from '../pass-progress.ts';

type CreationReason =
  | 'PreflightCheckFailed'
  | 'BootstrapTemplateCloningFailed'
  | 'InfrastructureTemplateCloningFailed'
  | 'MachineCreationFailed';

/** The start of each error: in the result of the pass, and in the condition. */
export interface CreationContext {
  readonly reason: CreationReason;
  /** Precedes the text of the condition in the error. */
  readonly context: string;
  /** Precedes the cause in both texts. "" if the cause is the whole text. */
  readonly text: string;
}

const prefix = 'failed to sync replicas';

export function creationFailed({ reason, context, text }: CreationContext, cause: string): MachineSetChange {
  const message = join(text, cause);
  return {
    errors: [join(prefix, join(context, message))],
    machinesCreated: v1Beta1False('MachinesCreated', { reason, severity: 'Error', message }),
  };
}

function join(start: string, rest: string): string {
  return start === '' ? rest : `${start}: ${rest}`;
}

export const nameProblem: CreationContext = {
  reason: 'MachineCreationFailed',
  context: 'failed to create Machine: failed to compute desired Machine',
  text: '',
};

export const reservationProblem: CreationContext = {
  reason: 'MachineCreationFailed',
  context: '',
  text: 'failed to reserve names of Machines',
};

export const machineProblem: CreationContext = {
  reason: 'MachineCreationFailed',
  context: '',
  text: 'failed to apply Machine',
};

export type CloneRole = 'bootstrap' | 'infrastructure';

/** `action` is what fails: the computation of the object, its apply, or the change of its owners. */
export function cloneProblem(role: CloneRole, { metadata, spec }: WholeMachineSet, action: string): CreationContext {
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const placeOf = ({ kind, name }: typeof infrastructureRef) =>
    `${kind} ${toDisplayName({ namespace: metadata.namespace, name })}`;
  return role === 'bootstrap'
    ? {
        reason: 'BootstrapTemplateCloningFailed',
        context: `failed to clone bootstrap configuration from ${placeOf(bootstrap.configRef)} while creating a Machine`,
        text: `failed to create BootstrapConfig: ${action}`,
      }
    : {
        reason: 'InfrastructureTemplateCloningFailed',
        context: `failed to clone infrastructure machine from ${placeOf(infrastructureRef)} while creating a Machine`,
        text: `failed to create InfraMachine: ${action}`,
      };
}

export const computedObjects: Readonly<Record<CloneRole, string>> = {
  bootstrap: 'failed to compute desired BootstrapConfig',
  infrastructure: 'failed to compute desired InfraMachine',
};
