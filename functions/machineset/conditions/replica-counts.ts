// The counters and the versions in the status of a MachineSet.
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { StatusVersion } from '@capi-serverless/cluster-api/contract';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { isUpdatingInPlace } from '../../../shared/machine-collections/in-place-marks.ts';
import { countVersions, versionsOfMachines } from '../../../shared/machine-collections/machine-versions.ts';

export interface MachineSetCounters {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
  readonly versions: readonly StatusVersion[] | undefined;
}

/** Machines in deletion count. A Machine that is updated in place counts as a replica only. */
export function countMachines(machines: readonly WholeMachine[]): MachineSetCounters {
  const steady = machines.filter(({ metadata }) => !isUpdatingInPlace(metadata.annotations));
  const count = (type: string): number => steady.filter(({ status }) => isTrue(status.conditions, type)).length;
  return {
    replicas: machines.length,
    readyReplicas: count('Ready'),
    availableReplicas: count('Available'),
    upToDateReplicas: count('UpToDate'),
    versions: countVersions(versionsOfMachines(machines)),
  };
}
