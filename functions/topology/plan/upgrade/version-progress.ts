// The Kubernetes version of each part of a topology in this pass, and the reasons why other parts wait.

export interface ControlPlaneProgress {
  /** The desired version of the control plane object in this pass. */
  readonly version: string;
  readonly isProvisioning: boolean;
  readonly isUpgrading: boolean;
  readonly isStartingUpgrade: boolean;
  /** While true, neither the control plane object nor its machine template is written. */
  readonly isPendingUpgrade: boolean;
  readonly isWaitingForWorkersUpgrade: boolean;
  /** The remaining versions. The target is the last one. Empty if there are none. */
  readonly upgradePlan: readonly string[];
}

/** The progress of MachineDeployments or of MachinePools. Names are object names, except in `pendingCreate`. */
export interface WorkerProgress {
  /** Keys are topology names. */
  readonly versions: ReadonlyMap<string, string>;
  readonly upgrading: ReadonlySet<string>;
  /** Includes deferred workers. Only their health checks are written. */
  readonly pendingUpgrade: ReadonlySet<string>;
  readonly deferredUpgrade: ReadonlySet<string>;
  /** Contains topology names. */
  readonly pendingCreate: ReadonlySet<string>;
  readonly upgradePlan: readonly string[];
}

export interface Versions {
  readonly controlPlane: ControlPlaneProgress;
  readonly machineDeployments: WorkerProgress;
  readonly machinePools: WorkerProgress;
  /** Returns true if an upgrade is in progress. Then the Cluster gets the version of the step. */
  readonly isUpgradeInProgress: boolean;
}
