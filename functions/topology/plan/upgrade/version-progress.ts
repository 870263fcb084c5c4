// The Kubernetes version of each part of a topology in this pass, and why other parts must wait.

export interface ControlPlaneProgress {
  /** The current desired version of the control plane object. */
  readonly version: string;
  readonly isProvisioning: boolean;
  readonly isUpgrading: boolean;
  readonly isStartingUpgrade: boolean;
  /** While true, neither the control plane object nor its machine template is written. */
  readonly isPendingUpgrade: boolean;
  readonly isWaitingForWorkersUpgrade: boolean;
  /** The remaining versions, the target last; empty when there are none. */
  readonly upgradePlan: readonly string[];
}

/** For MachineDeployments, and for MachinePools. Names are object names, except in `pendingCreate`. */
export interface WorkerProgress {
  /** By topology name. */
  readonly versions: ReadonlyMap<string, string>;
  readonly upgrading: ReadonlySet<string>;
  /** Includes deferred ones. Not written, except for health checks. */
  readonly pendingUpgrade: ReadonlySet<string>;
  readonly deferredUpgrade: ReadonlySet<string>;
  /** Topology names. */
  readonly pendingCreate: ReadonlySet<string>;
  readonly upgradePlan: readonly string[];
}

export interface Versions {
  readonly controlPlane: ControlPlaneProgress;
  readonly machineDeployments: WorkerProgress;
  readonly machinePools: WorkerProgress;
  /** Whether an upgrade is in progress, so that the Cluster gets the version of the step. */
  readonly isUpgradeInProgress: boolean;
}
