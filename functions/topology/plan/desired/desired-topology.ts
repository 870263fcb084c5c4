// The desired state of a topology. The presence of a field determines its owner: other writers own absent fields.
import type { Intent } from '@capi-serverless/apimachinery';

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
  /**
   * The version of the current upgrade step, if any. It is the only annotation of the Cluster that the topology
   * reconciler sets.
   */
  readonly upgradeStep: string | undefined;
  readonly infrastructureCluster: Intent;
  readonly controlPlane: DesiredControlPlane;
  /** Keys are topology names, in the order of the topology. */
  readonly machineDeployments: ReadonlyMap<string, DesiredMachineDeployment>;
  readonly machinePools: ReadonlyMap<string, DesiredMachinePool>;
}
