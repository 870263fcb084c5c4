// The differences between the Machine templates of a MachineSet and its MachineDeployment that start a rollout. All other
// fields are changed in place.
import { sameJson } from '@capi-serverless/apimachinery';
import { isDefined } from '../api/cluster/reader.ts';
import type { TemplateOwner } from '../api/machine/template-owner.ts';

export type MachineTemplateSpec = TemplateOwner['spec']['template']['spec'];

export interface TemplateDifference {
  /** For conditions of Machines. */
  readonly message: string;
  /** For logs: the reason of a rollout. */
  readonly log: string;
}

/** Returns none if the MachineSet is up to date. The order is the one of the messages. */
export function templateDifferences(
  current: MachineTemplateSpec,
  desired: MachineTemplateSpec,
): readonly TemplateDifference[] {
  return [
    ...(current.version === desired.version
      ? []
      : [textDifference('Version', 'spec.version', `${current.version}, ${desired.version} required`)]),
    ...(sameJson(current.bootstrap, desired.bootstrap) ? [] : [bootstrapDifference(current, desired)]),
    ...(sameJson(current.infrastructureRef, desired.infrastructureRef)
      ? []
      : [referenceDifference('spec.infrastructureRef', current.infrastructureRef, desired.infrastructureRef)]),
    ...(current.failureDomain === desired.failureDomain
      ? []
      : [
          textDifference(
            'Failure domain',
            'spec.failureDomain',
            `${current.failureDomain}, ${desired.failureDomain} required`,
          ),
        ]),
  ];
}

function textDifference(name: string, path: string, change: string): TemplateDifference {
  return { message: `${name} ${change}`, log: `${path} ${change}` };
}

type Reference = MachineTemplateSpec['infrastructureRef'];

function referenceDifference(path: string, current: Reference, desired: Reference): TemplateDifference {
  return {
    message: `${current.kind.replace(/Template$/, '')} is not up-to-date`,
    log: `${path} ${current.kind} ${current.name}, ${desired.kind} ${desired.name} required`,
  };
}

function bootstrapDifference({ bootstrap: current }: MachineTemplateSpec, desired: MachineTemplateSpec) {
  if (isDefined(current.configRef)) {
    return referenceDifference('spec.bootstrap.configRef', current.configRef, desired.bootstrap.configRef);
  }
  const { dataSecretName: wanted = 'nil' } = desired.bootstrap;
  const path = 'spec.bootstrap.dataSecretName';
  return textDifference(path, path, `${current.dataSecretName ?? 'nil'}, ${wanted} required`);
}
