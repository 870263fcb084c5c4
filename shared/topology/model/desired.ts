// What shall be there of a topology. Values that are absent here are left to others: presence decides who owns a field.
import type { Intent } from '../../api/object.ts';

export interface DesiredMachineDeployment {
  readonly object: Intent;
  readonly bootstrapTemplate: Intent;
  readonly infrastructureTemplate: Intent;
  readonly healthCheck?: Intent;
}

export interface DesiredMachinePool {
  readonly object: Intent;
  readonly bootstrapObject: Intent;
  readonly infrastructureObject: Intent;
}

export interface DesiredControlPlane {
  readonly object: Intent;
  readonly machineTemplate?: Intent;
  readonly healthCheck?: Intent;
}

export interface Desired {
  /** The one annotation of the Cluster that follows from the topology: the version of the running upgrade step, if one runs. */
  readonly upgradeStep: string | undefined;
  readonly infrastructureCluster: Intent;
  readonly controlPlane: DesiredControlPlane;
  /** By topology name, in the order of the topology. */
  readonly machineDeployments: ReadonlyMap<string, DesiredMachineDeployment>;
  readonly machinePools: ReadonlyMap<string, DesiredMachinePool>;
}
