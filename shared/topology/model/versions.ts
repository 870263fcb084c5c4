// Which Kubernetes version each part of a topology shall have in this pass, and what stands in the way of the others.
import type { RetryResponse } from '../../runtime-hooks/rules/hook.ts';

export interface ControlPlaneProgress {
  /** The version that the control plane object shall have now. */
  readonly version: string;
  readonly isProvisioning: boolean;
  readonly isUpgrading: boolean;
  readonly isStartingUpgrade: boolean;
  /** While true, neither the control plane object nor its machine template is written. */
  readonly isPendingUpgrade: boolean;
  readonly isWaitingForWorkersUpgrade: boolean;
  /** Versions still to come, the target last; empty when there is nothing to do. */
  readonly upgradePlan: readonly string[];
}

/** Of MachineDeployments, and of MachinePools. Names are names of objects, but for `pendingCreate`. */
export interface WorkerProgress {
  /** By topology name. */
  readonly versions: ReadonlyMap<string, string>;
  readonly upgrading: ReadonlySet<string>;
  /** Deferred ones are in here, too. Not touched, health checks excepted. */
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
  /** Whether an upgrade is in progress, so that the Cluster shall carry the version of the step. */
  readonly isUpgradeInProgress: boolean;
}

/** What hooks said in this pass, by name of the hook. */
export type HookResponses = ReadonlyMap<string, RetryResponse>;
