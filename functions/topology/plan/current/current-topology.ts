// The current objects of a topology as they were read: complete, with managed fields.
import type { Unstructured } from '@capi-serverless/apimachinery';

export interface CurrentMachineDeployment {
  readonly object: Unstructured;
  /** Both are absent while the MachineDeployment is being deleted. */
  readonly bootstrapTemplate?: Unstructured;
  readonly infrastructureTemplate?: Unstructured;
  readonly healthCheck?: Unstructured;
}

export interface CurrentMachinePool {
  readonly object: Unstructured;
  /** Both are absent while the MachinePool is being deleted. */
  readonly bootstrapObject?: Unstructured;
  readonly infrastructureObject?: Unstructured;
}

export interface Current {
  readonly infrastructureCluster?: Unstructured;
  readonly controlPlane: {
    readonly object?: Unstructured;
    readonly machineTemplate?: Unstructured;
    readonly healthCheck?: Unstructured;
  };
  /** Keys are topology names. */
  readonly machineDeployments: ReadonlyMap<string, CurrentMachineDeployment>;
  readonly machinePools: ReadonlyMap<string, CurrentMachinePool>;
}
