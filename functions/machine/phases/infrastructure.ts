// The infrastructure phase: providerID, addresses and failure domain. Once the infrastructure is provisioned, the values
// are copied in every pass.
import { type Checked, invalid, toDisplayName, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import {
  type Found,
  readMachineAddresses,
  readMachineFailureDomain,
  readMachineFailureDomainOfSpec,
  readProviderId,
  readProvisioned,
  valueOr,
} from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import { type ExternalStep, externalStep } from './external.ts';
import type { PlannedMachineOwnership } from './ownership.ts';
import type { MachineChange } from './pass-progress.ts';

export const infrastructureReadyType = 'InfrastructureReady';

export function infrastructureStep(ownership: PlannedMachineOwnership, machine: WholeMachine): ExternalStep {
  const { namespace, name } = machine.metadata;
  const rules = {
    readyType: infrastructureReadyType,
    waitingReason: 'WaitingForInfrastructure',
    readAchieved: ({ object, contract }: InScope) => readProvisioned(object, contract),
    wasAchieved: machine.status.initialization.infrastructureProvisioned,
    withoutObject: {},
    lost: (kind: string): MachineChange => {
      const lost = `${kind} ${toDisplayName({ namespace, name: machine.spec.infrastructureRef.name })}`;
      return {
        failure: {
          failureReason: 'InvalidConfiguration',
          failureMessage: `Machine infrastructure resource ${lost} has been deleted after provisioning was completed`,
        },
        errors: [`could not find ${lost} for Machine ${toDisplayName({ namespace, name })}`],
      };
    },
    take: takeValues,
  };
  return externalStep(rules, ownership, machine);
}

/** Returns the providerID that the infrastructure phase of this pass stores, or the stored one. */
export function providerIdAfter(step: ExternalStep, machine: WholeMachine): string {
  return step.change.spec?.providerID ?? machine.spec.providerID;
}

interface Searching {
  readonly machine: WholeMachine;
  readonly infrastructure: Scoped;
}

/**
 * Returns the providerID of the Node that is looked up: that of the Machine or, for a Machine in deletion without one, that
 * of its infrastructure machine.
 */
export function searchedProviderId(own: string, { machine, infrastructure }: Searching): string {
  return own === '' && isDeleting(machine) && infrastructure.state === 'inScope'
    ? valueOr(readProviderId(infrastructure.object), '')
    : own;
}

/** Returns the Machine with the addresses that this step stores. */
export function withNewAddresses(machine: WholeMachine, { change }: ExternalStep): WholeMachine {
  const { addresses = machine.status.addresses } = change;
  return { ...machine, status: { ...machine.status, addresses: [...addresses] } };
}

/** An error keeps the values before it, but not the providerID. */
function takeValues({ object }: InScope): MachineChange {
  const providerID = readProviderId(object);
  if (providerID.state === 'wrongType') {
    return { errors: [`failed to read spec.providerID from ${describe(object)}: ${providerID.error}`] };
  }
  if (valueOr(providerID, '') === '') {
    // A change of the object requests the next pass.
    return {};
  }
  const addresses = checked(readMachineAddresses(object), `failed to read addresses from ${describe(object)}`);
  if (!addresses.ok) {
    return { errors: [addresses.error] };
  }
  const ofStatus = withoutUndefined({ addresses: addresses.value });
  const specDomain = checked(
    readMachineFailureDomainOfSpec(object),
    `failed to read spec.failureDomain from ${describe(object)}`,
  );
  if (!specDomain.ok) {
    return { ...ofStatus, errors: [specDomain.error] };
  }
  const ofSpec = withoutUndefined({ failureDomain: specDomain.value });
  const domain = checked(
    readMachineFailureDomain(object),
    `failed to read status.failureDomain from ${describe(object)}`,
  );
  if (!domain.ok) {
    return { ...ofStatus, spec: ofSpec, errors: [domain.error] };
  }
  return {
    ...ofStatus,
    ...withoutUndefined({ failureDomain: domain.value }),
    spec: { ...ofSpec, providerID: valueOr(providerID, '') },
    infrastructureProvisioned: true,
  };
}

function checked<T>(found: Found<T>, problem: string): Checked<T | undefined> {
  return found.state === 'wrongType' ? invalid(`${problem}: ${found.error}`) : valid(valueOr(found, undefined));
}

function describe({ kind, metadata }: InScope['object']): string {
  return `${kind} ${toDisplayName(metadata)}`;
}
