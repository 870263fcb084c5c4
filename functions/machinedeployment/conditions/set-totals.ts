// The counters in the status of a MachineDeployment: the sums over its MachineSets.
import type { StatusVersion } from '@capi-serverless/cluster-api/contract';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { countVersions } from '../../../shared/machine-collections/machine-versions.ts';
import { sumOfReported } from '../../../shared/machine-collections/reported-sum.ts';

/** `undefined`: no MachineSet reports the counter, and the field is absent. */
export interface SetTotals {
  readonly replicas: number | undefined;
  readonly readyReplicas: number | undefined;
  readonly availableReplicas: number | undefined;
  readonly upToDateReplicas: number | undefined;
  readonly versions: readonly StatusVersion[] | undefined;
}

/** `sets`: the MachineSets as they were read. Those in deletion count. */
export function toSetTotals(sets: readonly Pick<WholeMachineSet, 'status'>[]): SetTotals {
  return {
    replicas: sumOfReported(sets.map(({ status }) => status.replicas)),
    readyReplicas: sumOfReported(sets.map(({ status }) => status.readyReplicas)),
    availableReplicas: sumOfReported(sets.map(({ status }) => status.availableReplicas)),
    upToDateReplicas: sumOfReported(sets.map(({ status }) => status.upToDateReplicas)),
    versions: countVersions(sets.flatMap(({ status }) => status.versions)),
  };
}
