// The names of the objects of a topology, from existing references or chosen for new objects.
import type { Unstructured } from '@capi-serverless/apimachinery';

/** A name to use. `existing`: this reconciler created an object with this name, but no reference names it yet. */
export interface ChosenName {
  readonly name: string;
  readonly existing?: Unstructured;
}

export interface WorkerNames {
  readonly object: ChosenName;
  /** The names of the templates of a MachineDeployment, or of the objects of a MachinePool. */
  readonly bootstrap: ChosenName;
  readonly infrastructure: ChosenName;
}

export interface TopologyNames {
  readonly infrastructureCluster: ChosenName;
  readonly controlPlane: ChosenName;
  /** Present if the class has control plane machine infrastructure, otherwise absent. */
  readonly controlPlaneMachineTemplate?: ChosenName;
  /** Keys are topology names. */
  readonly machineDeployments: ReadonlyMap<string, WorkerNames>;
  readonly machinePools: ReadonlyMap<string, WorkerNames>;
}
