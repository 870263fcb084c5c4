// The requests of all hooks, without `apiVersion`, `kind` and `settings`, which the client adds.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';

/** Identifies the field of a topology that references an object, for example `spec.infrastructureRef` of a Cluster. */
export interface HolderReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldPath: string;
}

/** `value` is the JSON value of the variable. */
export interface HookVariable {
  readonly name: string;
  readonly value: unknown;
}

interface ValidateTopologyItem {
  readonly holderReference: HolderReference;
  readonly object: JsonObject;
  readonly variables: readonly HookVariable[];
}

interface GeneratePatchesItem extends ValidateTopologyItem {
  readonly uid: string;
}

export interface GeneratePatchesRequest {
  readonly variables: readonly HookVariable[];
  readonly items: readonly GeneratePatchesItem[];
}

export interface ValidateTopologyRequest {
  readonly variables: readonly HookVariable[];
  readonly items: readonly ValidateTopologyItem[];
}

/** The stored Cluster in version v1beta2. Fields that extensions do not receive are removed before sending. */
export interface ClusterRequest {
  readonly cluster: Unstructured;
}

interface UpgradeStep {
  readonly version: string;
}

/** The remaining steps, with the target version. */
export interface UpgradeSteps {
  readonly controlPlaneUpgrades: readonly UpgradeStep[];
  readonly workersUpgrades: readonly UpgradeStep[];
}

export interface UpgradePlanRequest extends ClusterRequest {
  readonly fromControlPlaneKubernetesVersion: string;
  /** Empty if the workers need no upgrade. */
  readonly fromWorkersKubernetesVersion: string;
  readonly toKubernetesVersion: string;
}

export interface BeforeUpgradeRequest extends ClusterRequest, UpgradeSteps {
  readonly fromKubernetesVersion: string;
  readonly toKubernetesVersion: string;
}

export interface AfterClusterUpgradeRequest extends ClusterRequest {
  readonly kubernetesVersion: string;
}

export interface AfterUpgradeStepRequest extends AfterClusterUpgradeRequest, UpgradeSteps {}

interface MachineParts {
  readonly machine: JsonObject;
  readonly infrastructureMachine: JsonObject;
  readonly bootstrapConfig: JsonObject;
}

export interface CanUpdateMachineRequest {
  readonly current: MachineParts;
  readonly desired: MachineParts;
}

interface MachineSetParts {
  readonly machineSet: JsonObject;
  readonly infrastructureMachineTemplate: JsonObject;
  /** Absent for a MachineSet without bootstrap template. */
  readonly bootstrapConfigTemplate?: JsonObject;
}

export interface CanUpdateMachineSetRequest {
  readonly current: MachineSetParts;
  readonly desired: MachineSetParts;
}

export interface UpdateMachineRequest {
  /** The bootstrap config is absent for a Machine without one. */
  readonly desired: Omit<MachineParts, 'bootstrapConfig'> & Partial<Pick<MachineParts, 'bootstrapConfig'>>;
}
