// The result of observe for one MachineSet: the input of the plan.
import type { Checked, Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster, ContractReference } from '../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import type { Preflight, PreflightSettings } from '../../shared/machine-collections/preflight-scope.ts';
import type { RemediationChoice } from './phases/remediation/remediation-choice.ts';
import type { ScaleDecision } from './phases/replicas/scale-decision.ts';

/** The bootstrap template or the infrastructure template. */
export type TemplateRead =
  /** The reference is not set. */
  | { readonly state: 'undefined' }
  /** The kind of the reference is no template. It is not read. */
  | { readonly state: 'noTemplate'; readonly ref: ContractReference }
  | { readonly state: 'missing'; readonly ref: ContractReference; readonly problem: string }
  | { readonly state: 'failed'; readonly ref: ContractReference; readonly problem: string }
  | { readonly state: 'found'; readonly ref: ContractReference; readonly object: Unstructured };

/** The bootstrap config or the infrastructure machine that a Machine references. */
export type ObjectRead =
  | { readonly state: 'undefined' }
  | { readonly state: 'found'; readonly object: Unstructured }
  /** `problem` is the message of the API server only. */
  | { readonly state: 'failed'; readonly ref: ContractReference; readonly problem: string };

/** A Machine that the selector of the MachineSet matches, and its two objects. */
export interface MachineMember {
  readonly machine: WholeMachine;
  readonly infrastructure: ObjectRead;
  readonly bootstrap: ObjectRead;
}

/** The infrastructure machines or bootstrap configs with the labels of the selector. Listed before the Machines. */
export type ObjectsRead =
  | { readonly state: 'undefined' }
  | { readonly state: 'listed'; readonly objects: readonly Unstructured[] }
  | { readonly state: 'failed'; readonly problem: string };

export type MachinesRead =
  | {
      readonly state: 'listed';
      /** The MachineSet is their controller. */
      readonly members: readonly MachineMember[];
      /** The selector matches them, and they have no controller. Empty while the MachineSet is deleted. */
      readonly adoptable: readonly WholeMachine[];
    }
  /** The list could not be read. No phase that depends on Machines runs. */
  | { readonly state: 'failed'; readonly problem: string };

/** The MachineSet that gets Machines from this one. */
export type TargetRead =
  | { readonly state: 'found'; readonly target: WholeMachineSet }
  | { readonly state: 'failed'; readonly problem: string };

/** What exists under a name that is reserved for a new Machine. */
export interface ReservedName {
  readonly name: string;
  readonly machine: NameUse;
  readonly infrastructure: NameUse;
  readonly bootstrap: NameUse;
}

export type NameUse =
  | { readonly state: 'free' }
  /** Created for this name by an earlier pass of this MachineSet. */
  | { readonly state: 'ours'; readonly object: Unstructured }
  | { readonly state: 'taken'; readonly problem: string };

/** The settings of all MachineSets of a deployment. */
export type MachineSetSettings = PreflightSettings;

/** What the Machines need. It determines what else is read. */
export interface MachineSetWork {
  readonly remediation: Checked<RemediationChoice>;
  readonly scale: Checked<ScaleDecision>;
  /** The reserved names without Machine, as many as Machines are missing. */
  readonly reservedNames: readonly string[];
}

/** A pass that runs the phases. */
export interface ObservedMachineSet {
  readonly step: 'phases';
  /** As the API server has it. */
  readonly stored: Unstructured;
  /** With the metadata that this pass writes: labels, owner references, selector and template labels of the Cluster. */
  readonly machineSet: WholeMachineSet;
  /** `undefined` only for a MachineSet in deletion: its Cluster is gone. */
  readonly cluster: Cluster | undefined;
  /** `undefined` if no MachineDeployment owns the MachineSet, or if it is gone during deletion. */
  readonly deployment: WholeMachineDeployment | undefined;
  readonly infrastructure: TemplateRead;
  readonly bootstrap: TemplateRead;
  readonly infrastructureMachines: ObjectsRead;
  readonly bootstrapConfigs: ObjectsRead;
  readonly machines: MachinesRead;
  /** `undefined` if the Machines could not be read, or if the MachineSet is being deleted. */
  readonly work: MachineSetWork | undefined;
  /** `undefined` if this pass neither creates nor remediates Machines. */
  readonly preflight: Preflight | undefined;
  /** `undefined` if this pass hands no Machine over. */
  readonly target: TargetRead | undefined;
  /** The reserved names for which this pass creates Machines. */
  readonly reserved: readonly ReservedName[];
  readonly settings: MachineSetSettings;
  readonly now: Instant;
}

/** The MachineDeployment could not be read. */
export interface UnknownMachineSet {
  readonly step: 'noDeployment';
  readonly machineSet: WholeMachineSet;
  readonly error: string;
}
