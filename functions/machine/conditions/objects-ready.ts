// The conditions BootstrapConfigReady and InfrastructureReady. They mirror the condition Ready of the referenced object.
import { type ConditionDraft, mirrorConditionOf, noReasonReported } from '@capi-serverless/cluster-api/conditions';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import type { MachineConclusion } from '../phases/conclude.ts';
import { isDeleting } from '../phases/machine-gate.ts';
import { internalError } from './internal-error.ts';

export const bootstrapConfigReadyType = 'BootstrapConfigReady';
export const infrastructureReadyType = 'InfrastructureReady';

interface Mirrored {
  readonly type: string;
  /** The status field of the object, as upstream names it for every contract version. */
  readonly field: string;
  /** The value of this field in the status of the Machine after this pass. */
  readonly isAchieved: boolean;
  /** The reason and message if the object is missing. */
  readonly missing: (kind: string) => { readonly reason: string; readonly message: string };
}

export function bootstrapConfigReady(conclusion: MachineConclusion): ConditionDraft {
  const { machine, bootstrap, progress } = conclusion;
  const type = bootstrapConfigReadyType;
  const isAchieved = progress.bootstrapDataSecretCreated;
  if (bootstrap.state === 'undefined') {
    return { type, status: 'True', reason: 'DataSecretProvided', message: '' };
  }
  return mirror(bootstrap, {
    type,
    field: 'status.initialization.dataSecretCreated',
    isAchieved,
    missing: kind => (isDeleting(machine) && isAchieved ? deleted(kind) : neverExisted(kind)),
  });
}

export function infrastructureReady({ machine, infrastructure, progress }: MachineConclusion): ConditionDraft {
  const isAchieved = progress.infrastructureProvisioned;
  return mirror(infrastructure, {
    type: infrastructureReadyType,
    field: 'status.initialization.provisioned',
    isAchieved,
    missing: kind => {
      if (!isAchieved) {
        return neverExisted(kind);
      }
      return isDeleting(machine) ? deleted(kind) : deleted(kind, ' while the Machine still exists');
    },
  });
}

function deleted(kind: string, detail = '') {
  return { reason: 'ObjectDeleted', message: `${kind} has been deleted${detail}` };
}

function neverExisted(kind: string) {
  return { reason: 'ObjectDoesNotExist', message: `${kind} does not exist` };
}

function mirror(scoped: Scoped, rules: Mirrored): ConditionDraft {
  const { type, missing } = rules;
  switch (scoped.state) {
    case 'undefined':
    case 'unknown':
      return internalError(type);
    case 'missing':
      return { type, status: 'False', ...missing(scoped.ref.kind) };
    case 'inScope':
      return fromObject(scoped, rules);
  }
}

function fromObject({ object, ref }: InScope, { type, field, isAchieved }: Mirrored): ConditionDraft {
  const fallback = isAchieved
    ? { status: 'True' as const, reason: 'Ready', message: '' }
    : { status: 'False' as const, reason: 'NotReady', message: `${ref.kind} ${field} is false` };
  const mirrored = mirrorConditionOf(object, 'Ready', { targetType: type, fallback });
  if (!mirrored.ok) {
    return { type, status: 'Unknown', reason: 'InvalidConditionReported', message: mirrored.error };
  }
  const { status, reason } = mirrored.value;
  return status === 'True' && reason === noReasonReported ? { ...mirrored.value, reason: 'Ready' } : mirrored.value;
}
