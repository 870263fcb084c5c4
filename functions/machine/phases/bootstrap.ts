// The bootstrap phase: the name of the Secret with the bootstrap data. Once set, the name never changes.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { readDataSecretCreated, readDataSecretName } from '@capi-serverless/cluster-api/contract';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { InScope } from '../../../shared/external/external.ts';
import type { MachineSettings } from '../seen.ts';
import { type ExternalStep, externalStep } from './external.ts';
import type { PlannedMachineOwnership } from './ownership.ts';
import type { MachineChange } from './pass-progress.ts';

export const bootstrapReadyType = 'BootstrapReady';

export function bootstrapStep(
  ownership: PlannedMachineOwnership,
  machine: WholeMachine,
  { countsInlineDataSecret }: Pick<MachineSettings, 'countsInlineDataSecret'>,
): ExternalStep {
  const hasSecret = machine.spec.bootstrap.dataSecretName !== undefined;
  const rules = {
    readyType: bootstrapReadyType,
    waitingReason: 'WaitingForDataSecret',
    readAchieved: ({ object, contract }: InScope) => readDataSecretCreated(object, contract),
    wasAchieved: false,
    withoutObject: countsInlineDataSecret && hasSecret ? { bootstrapDataSecretCreated: true } : {},
    settled: hasSecret ? { bootstrapDataSecretCreated: true, v1beta1: [v1Beta1True(bootstrapReadyType)] } : undefined,
    take: takeSecretName,
  };
  return externalStep(rules, ownership, machine);
}

function takeSecretName({ object }: InScope): MachineChange {
  const name = readDataSecretName(object);
  const what = `from ${object.kind} ${toDisplayName(object.metadata)}`;
  if (name.state === 'absent') {
    return { errors: [`failed to read dataSecretName ${what}: path .status.dataSecretName: field not found`] };
  }
  if (name.state === 'wrongType') {
    return { errors: [`failed to read dataSecretName ${what}: ${name.error}`] };
  }
  return name.value === ''
    ? { errors: [`got empty status.dataSecretName field ${what}`] }
    : { spec: { dataSecretName: name.value }, bootstrapDataSecretCreated: true };
}
