// The result of observe for one MachineDeployment: the input of the plan.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster, ContractReference } from '../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';

/** The bootstrap template or the infrastructure template of the deployment. */
export type DeploymentTemplate =
  /** The reference is not set. */
  | { readonly state: 'undefined' }
  /** The kind of the reference is no template, or the deployment is being deleted. It is not read. */
  | { readonly state: 'unread'; readonly ref: ContractReference }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  | { readonly state: 'failed'; readonly ref: ContractReference; readonly problem: string }
  | { readonly state: 'found'; readonly ref: ContractReference; readonly object: Unstructured };

/** The MachineSets in the namespace, sorted by what the deployment does with them. Listed before the Machines. */
export type SetsRead =
  | {
      readonly state: 'listed';
      /** This deployment is their controller. */
      readonly owned: readonly WholeMachineSet[];
      /** The selector matches their labels, and they have no controller. Empty while the deployment is deleted. */
      readonly orphans: readonly WholeMachineSet[];
      /** The names of all MachineSets in the namespace. */
      readonly names: ReadonlySet<string>;
    }
  | { readonly state: 'failed'; readonly problem: string };

/** The answer of the extension about one old MachineSet. */
export type InPlaceAnswer =
  | { readonly state: 'yes' }
  /** `reasons` are for logs. */
  | { readonly state: 'no'; readonly reasons: readonly string[] }
  /** `problem` follows `failed to determine if MachineSet <name> can be updated in-place: `. */
  | { readonly state: 'failed'; readonly problem: string };

export interface DeploymentSettings {
  /** The feature gate InPlaceUpdates. */
  readonly updatesInPlace: boolean;
}

export interface ObservedDeployment {
  readonly deployment: WholeMachineDeployment;
  /** `undefined` only for a deployment in deletion: its Cluster is gone. */
  readonly cluster: Cluster | undefined;
  readonly infrastructure: DeploymentTemplate;
  readonly bootstrap: DeploymentTemplate;
  readonly sets: SetsRead;
  /** The Machines that the selector matches, also those of other controllers. */
  readonly machines: readonly WholeMachine[];
  /** By name of the old MachineSet. Only those that this pass may update in place are asked about. */
  readonly inPlace: ReadonlyMap<string, InPlaceAnswer>;
  readonly settings: DeploymentSettings;
  readonly now: Instant;
}
