// The conditions BootstrapConfigReady and InfrastructureReady. They mirror the condition Ready of the referenced object.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { mirrorReferenced, objectDeleted, objectDoesNotExist } from '../../../shared/external/mirrored-condition.ts';
import type { MachineConclusion } from '../phases/conclude.ts';

export const bootstrapConfigReadyType = 'BootstrapConfigReady';
export const infrastructureReadyType = 'InfrastructureReady';

export function bootstrapConfigReady(conclusion: MachineConclusion): ConditionDraft {
  const { machine, bootstrap, progress } = conclusion;
  const type = bootstrapConfigReadyType;
  const isAchieved = progress.bootstrapDataSecretCreated;
  if (bootstrap.state === 'undefined') {
    return { type, status: 'True', reason: 'DataSecretProvided', message: '' };
  }
  return mirrorReferenced(bootstrap, {
    type,
    source: 'Ready',
    field: 'status.initialization.dataSecretCreated',
    isAchieved,
    missing: kind => (isDeleting(machine) && isAchieved ? objectDeleted(kind) : objectDoesNotExist(kind)),
  });
}

export function infrastructureReady({ machine, infrastructure, progress }: MachineConclusion): ConditionDraft {
  const isAchieved = progress.infrastructureProvisioned;
  const detail = isDeleting(machine) ? '' : ' while the Machine still exists';
  return mirrorReferenced(infrastructure, {
    type: infrastructureReadyType,
    source: 'Ready',
    field: 'status.initialization.provisioned',
    isAchieved,
    missing: kind => (isAchieved ? objectDeleted(kind, detail) : objectDoesNotExist(kind)),
  });
}
