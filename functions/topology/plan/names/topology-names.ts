// Names of the objects of a topology: those that references already hold, and those of new objects.
import type { Unstructured } from '@capi-serverless/apimachinery';

/** A name to use; `existing` when our own object already has it but no reference names it yet. */
export interface ChosenName {
  readonly name: string;
  readonly existing?: Unstructured;
}

export interface WorkerNames {
  readonly object: ChosenName;
  /** Templates of a MachineDeployment, objects of a MachinePool. */
  readonly bootstrap: ChosenName;
  readonly infrastructure: ChosenName;
}

export interface TopologyNames {
  readonly infrastructureCluster: ChosenName;
  readonly controlPlane: ChosenName;
  /** Present exactly if the class has control plane machine infrastructure. */
  readonly controlPlaneMachineTemplate?: ChosenName;
  /** By topology name. */
  readonly machineDeployments: ReadonlyMap<string, WorkerNames>;
  readonly machinePools: ReadonlyMap<string, WorkerNames>;
}
