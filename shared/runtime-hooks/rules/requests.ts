// The requests of all hooks, `apiVersion`, `kind` and `settings` left out: whoever sends them adds those.
import type { Unstructured } from '../../api/object.ts';
import type { Fields } from './hook.ts';

/** What identifies a holder of an object in a topology: `spec.infrastructureRef` of a Cluster, and the like. */
export interface HolderReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldPath: string;
}

/** `value` is the variable's JSON value itself. */
export interface HookVariable {
  readonly name: string;
  readonly value: unknown;
}

export interface ValidateTopologyItem {
  readonly holderReference: HolderReference;
  readonly object: Fields;
  readonly variables: readonly HookVariable[];
}

export interface GeneratePatchesItem extends ValidateTopologyItem {
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

/** A v1beta2 Cluster as it is stored; what extensions are not shown is taken off on the way. */
export interface ClusterRequest {
  readonly cluster: Unstructured;
}

export interface UpgradeStep {
  readonly version: string;
}

/** The steps that remain, the target included. */
export interface UpgradeSteps {
  readonly controlPlaneUpgrades: readonly UpgradeStep[];
  readonly workersUpgrades: readonly UpgradeStep[];
}

export interface UpgradePlanRequest extends ClusterRequest {
  readonly fromControlPlaneKubernetesVersion: string;
  /** May be empty. */
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

export interface MachineParts {
  readonly machine: Fields;
  readonly infrastructureMachine: Fields;
  readonly bootstrapConfig: Fields;
}

export interface CanUpdateMachineRequest {
  readonly current: MachineParts;
  readonly desired: MachineParts;
}

export interface MachineSetParts {
  readonly machineSet: Fields;
  readonly infrastructureMachineTemplate: Fields;
  readonly bootstrapConfigTemplate: Fields;
}

export interface CanUpdateMachineSetRequest {
  readonly current: MachineSetParts;
  readonly desired: MachineSetParts;
}

export interface UpdateMachineRequest {
  readonly desired: MachineParts;
}
