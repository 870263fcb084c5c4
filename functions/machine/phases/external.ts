// The common part of the bootstrap phase and the infrastructure phase.
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  type V1Beta1Draft,
  type V1Beta1Fallback,
  v1Beta1False,
} from '@capi-serverless/cluster-api/conditions';
import { type Found, valueOr } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { failureOfObject, type InScope } from '../../../shared/external/external.ts';
import type { PlannedMachineOwnership } from './ownership.ts';
import type { MachineChange, MachineStep } from './pass-progress.ts';

/** The time until the next reconcile if a referenced object does not exist yet. */
const missingRequeueMs = 30_000;

/** The differences between the two phases. */
export interface MachineExternalRules {
  readonly readyType: string;
  /** The reason of the deprecated condition while the object reports none. */
  readonly waitingReason: string;
  readonly readAchieved: (external: InScope) => Found<boolean>;
  /** Whether the Machine was provisioned before, or has its bootstrap data. */
  readonly wasAchieved: boolean;
  /** The step if the Machine has no reference to this object. */
  readonly withoutObject: MachineChange;
  /** The step if the object is missing after it was achieved. Default: the phase waits. */
  readonly lost?: (kind: string) => MachineChange;
  /** The change for an object whose fields are not needed any more. `undefined`: the fields are read. */
  readonly settled?: MachineChange | undefined;
  /** The fields that are read when the object is provisioned or created. */
  readonly take: (external: InScope) => MachineChange;
}

/** The change is known before the writes: observe looks up the Node with its values. */
export interface ExternalStep extends MachineStep {
  readonly change: MachineChange;
}

export function externalStep(
  rules: MachineExternalRules,
  ownership: PlannedMachineOwnership,
  machine: WholeMachine,
): ExternalStep {
  const { scoped, error, needs } = ownership;
  switch (scoped.state) {
    case 'undefined':
      return { change: rules.withoutObject };
    case 'missing':
      return { change: whenMissing(rules, scoped.ref.kind, machine) };
    case 'unknown':
      return { change: { errors: [error] }, needs };
    case 'inScope':
      return { change: changeOf(rules, scoped, machine), needs };
  }
}

function whenMissing({ wasAchieved, lost }: MachineExternalRules, kind: string, machine: WholeMachine): MachineChange {
  if (isDeleting(machine)) {
    return {};
  }
  return wasAchieved && lost !== undefined ? lost(kind) : { requeues: [missingRequeueMs] };
}

/** The deprecated condition after the object is gone. */
export function deletedCondition(type: string): V1Beta1Draft {
  return v1Beta1False(type, { reason: 'Deleted', severity: 'Info' });
}

function changeOf(rules: MachineExternalRules, external: InScope, machine: WholeMachine): MachineChange {
  const failure = failureOfObject(external.object);
  if (rules.settled !== undefined) {
    return { ...rules.settled, failure };
  }
  const found = rules.readAchieved(external);
  if (found.state === 'wrongType') {
    return { failure, errors: [found.error] };
  }
  const isAchieved = valueOr(found, false);
  const { object } = external;
  const fallback = readyFallback(rules, machine, isAchieved);
  const ready = mirrorV1Beta1Ready(readV1Beta1Conditions(object), rules.readyType, fallback);
  const change = { failure, v1beta1: [ready] };
  const isTaken = object.metadata.deletionTimestamp === undefined && (isAchieved || rules.wasAchieved);
  return isTaken ? { ...change, ...rules.take(external) } : change;
}

function readyFallback(
  { waitingReason }: MachineExternalRules,
  machine: WholeMachine,
  isAchieved: boolean,
): V1Beta1Fallback {
  if (isAchieved) {
    return { value: true };
  }
  return { value: false, reason: isDeleting(machine) ? 'Deleting' : waitingReason, severity: 'Info' };
}
