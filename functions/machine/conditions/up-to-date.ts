// The condition UpToDate of a Machine of a MachineDeployment: whether its MachineSet has the current template.
import { type Instant, sameJson } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import type { TemplateOwner } from '../../../shared/api/machine/template-owner.ts';
import type { MachineConclusion } from '../phases/conclude.ts';
import { updating } from './lifecycle.ts';

export const upToDateType = 'UpToDate';

/** Returns `undefined` for a Machine without MachineDeployment, whose condition belongs to other controllers. */
export function upToDate(conclusion: MachineConclusion): ConditionDraft | undefined {
  const { machineSet, machineDeployment, now } = conclusion;
  if (machineSet === undefined || machineDeployment === undefined) {
    return undefined;
  }
  const type = upToDateType;
  const differences = differencesOf(machineSet, machineDeployment, now);
  if (differences.length > 0) {
    return { type, status: 'False', reason: 'NotUpToDate', message: toLines(differences) };
  }
  const waits = waitsOf(conclusion);
  return waits === undefined
    ? { type, status: 'True', reason: 'UpToDate', message: '' }
    : { type, status: 'False', reason: 'Updating', message: toLines([waits]) };
}

function toLines(messages: readonly string[]): string {
  return messages.map(message => `* ${message}`).join('\n');
}

function waitsOf(conclusion: MachineConclusion): string | undefined {
  const update = updating(conclusion);
  if (update.status === 'True') {
    return update.message;
  }
  const { machine, progress } = conclusion;
  const kubelet = progress.nodeInfo?.['kubeletVersion'] ?? machine.status.nodeInfo.kubeletVersion;
  const { version } = machine.spec;
  return kubelet === '' || kubelet === version
    ? undefined
    : `Node.status.nodeInfo.kubeletVersion ${kubelet}, ${version} required`;
}

type MachineTemplate = TemplateOwner['spec']['template']['spec'];

function differencesOf(machineSet: TemplateOwner, machineDeployment: TemplateOwner, now: Instant): readonly string[] {
  const current = machineSet.spec.template.spec;
  const desired = machineDeployment.spec.template.spec;
  return [
    ...(current.version === desired.version ? [] : [`Version ${current.version}, ${desired.version} required`]),
    ...bootstrapDifference(current, desired),
    ...(sameJson(current.infrastructureRef, desired.infrastructureRef)
      ? []
      : [`${toKind(current.infrastructureRef.kind)} is not up-to-date`]),
    ...(current.failureDomain === desired.failureDomain
      ? []
      : [`Failure domain ${current.failureDomain}, ${desired.failureDomain} required`]),
    ...(isExpired(machineSet, machineDeployment, now) ? ['MachineDeployment spec.rolloutAfter expired'] : []),
  ];
}

function bootstrapDifference(current: MachineTemplate, desired: MachineTemplate): readonly string[] {
  const { configRef, dataSecretName = 'nil' } = current.bootstrap;
  if (isDefined(configRef)) {
    return sameJson(current.bootstrap, desired.bootstrap) ? [] : [`${toKind(configRef.kind)} is not up-to-date`];
  }
  const wanted = desired.bootstrap.dataSecretName ?? 'nil';
  return dataSecretName === wanted ? [] : [`spec.bootstrap.dataSecretName ${dataSecretName}, ${wanted} required`];
}

/** The kind of the objects that a template makes. */
function toKind(kind: string): string {
  return kind.replace(/Template$/, '');
}

/** Machines of a MachineSet that is older than this time are replaced once it has passed. */
function isExpired({ metadata }: TemplateOwner, { spec }: TemplateOwner, now: Instant): boolean {
  const after = instantOf(spec.rollout.after);
  const created = instantOf(metadata.creationTimestamp);
  return after !== undefined && created !== undefined && after <= now && created < after;
}
