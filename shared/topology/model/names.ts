// Names of the objects of a topology: those that references hold already, and those that new ones will get.
import type { Unstructured } from '../../api/object.ts';

/** One name to be used; `existing` when an object of ours has it already although no reference names it yet. */
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
