// What the Machines of a MachineSet need. It is chosen before the plan, because it determines what else must be read.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { isDeleting } from '@capi-serverless/reconciler';
import {
  disableMachineCreateAnnotation,
  moveMachinesAnnotation,
  receiveMachinesAnnotation,
} from '../../../shared/machine-collections/keys.ts';
import type { MachineSetWork, ObservedMachineSet } from '../seen.ts';
import { chooseRemediations } from './remediation/remediation-choice.ts';
import { toMachineFacts } from './replicas/machine-facts.ts';
import { reservedNamesOf } from './replicas/machine-names.ts';
import { decideScale, type ScaleDecision } from './replicas/scale-decision.ts';

type WorkFacts = Pick<ObservedMachineSet, 'machineSet' | 'deployment' | 'machines'>;

export function chooseWork({ machineSet, deployment, machines: read }: WorkFacts): MachineSetWork | undefined {
  if (read.state === 'failed' || isDeleting(machineSet)) {
    return undefined;
  }
  const machines = read.members.map(({ machine }) => machine);
  const scale = chooseScale({ machineSet }, machines);
  const listed = new Set(machines.map(({ metadata }) => metadata.name));
  const missing = scale.ok && scale.value.do === 'create' ? scale.value.count : 0;
  return {
    remediation: chooseRemediations({ machineSet, deployment, machines }),
    scale,
    reservedNames: reservedNamesOf(machineSet)
      .filter(name => !listed.has(name))
      .slice(0, missing),
  };
}

function chooseScale(
  { machineSet: { metadata, spec } }: Pick<WorkFacts, 'machineSet'>,
  machines: readonly { readonly object: Parameters<typeof toMachineFacts>[0] }[],
): Checked<ScaleDecision> {
  const { annotations } = metadata;
  return spec.replicas === undefined
    ? invalid(`the Replicas field in Spec for MachineSet ${metadata.name} is nil, this should not be allowed`)
    : valid(
        decideScale({
          replicas: spec.replicas,
          machines: machines.map(({ object }) => toMachineFacts(object)),
          mayCreate: annotations[disableMachineCreateAnnotation] !== 'true',
          movesTo: annotations[moveMachinesAnnotation] ?? '',
          receives: (annotations[receiveMachinesAnnotation] ?? '') !== '',
        }),
      );
}
