// The deprecated counters and conditions of a MachineDeployment. Only a pass that has applied its MachineSets computes
// them.
import {
  mirrorV1Beta1Ready,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';

interface AppliedSets {
  /** All MachineSets as the API server answered this pass, a created one included. */
  readonly sets: readonly WholeMachineSet[];
  /** The one with the current template. */
  readonly current: WholeMachineSet | undefined;
}

export interface DeprecatedCounters {
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
}

/** Counters that are 0 are written, too. */
export function deprecatedCounters({ sets, current }: AppliedSets): DeprecatedCounters {
  const sum = (countOf: (set: WholeMachineSet) => number | undefined) =>
    sets.reduce((total, set) => total + (countOf(set) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status.deprecated.v1beta1.availableReplicas);
  return {
    updatedReplicas: current?.status.replicas ?? 0,
    readyReplicas: sum(({ status }) => status.deprecated.v1beta1.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(sum(({ spec }) => spec.replicas) - availableReplicas, 0),
  };
}

/** The deprecated condition types that this reconciler owns. */
export const ownedDeprecatedConditions: readonly string[] = ['Ready', 'Available', 'MachineSetReady'];

interface DeprecatedAvailability {
  readonly counters: Pick<DeprecatedCounters, 'availableReplicas'>;
  readonly minAvailable: number;
  /** The counter of `status`, for the message. */
  readonly availableReplicas: number | undefined;
}

/** As upstream, the deprecated counter decides, and the message names the other one. */
export function deprecatedAvailable({
  counters,
  minAvailable,
  availableReplicas = 0,
}: DeprecatedAvailability): V1Beta1Draft {
  return counters.availableReplicas >= minAvailable
    ? v1Beta1True('Available')
    : v1Beta1False('Available', {
        reason: 'WaitingForAvailableMachines',
        severity: 'Warning',
        message: `Minimum availability requires ${minAvailable} replicas, current ${availableReplicas} available`,
      });
}

const machineSetReady = 'MachineSetReady';
const waiting = { reason: 'WaitingForMachineSet', severity: 'Info' } as const;

export function deprecatedMachineSetReady(current: WholeMachineSet | undefined): V1Beta1Draft | undefined {
  return current === undefined
    ? v1Beta1False(machineSetReady, { ...waiting, message: 'MachineSet not found' })
    : mirrorV1Beta1Ready(current.status.deprecated.v1beta1.conditions, machineSetReady, { value: false, ...waiting });
}
