// The condition UpToDate of a Machine of a MachineDeployment: whether its MachineSet has the current template.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { TemplateOwner } from '../../../shared/api/machine/template-owner.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
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

function differencesOf(machineSet: TemplateOwner, machineDeployment: TemplateOwner, now: Instant): readonly string[] {
  const differences = templateDifferences(machineSet.spec.template.spec, machineDeployment.spec.template.spec);
  return [
    ...differences.map(({ message }) => message),
    ...(isExpired(machineSet, machineDeployment, now) ? ['MachineDeployment spec.rolloutAfter expired'] : []),
  ];
}

/** Machines of a MachineSet that is older than this time are replaced once it has passed. */
function isExpired({ metadata }: TemplateOwner, { spec }: TemplateOwner, now: Instant): boolean {
  const after = instantOf(spec.rollout.after);
  const created = instantOf(metadata.creationTimestamp);
  return after !== undefined && created !== undefined && after <= now && created < after;
}
