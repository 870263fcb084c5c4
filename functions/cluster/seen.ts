// What observe knows of one Cluster: everything that decide and report conclude from.
import type { Checked } from '../../shared/api/checked.ts';
import type { Cluster, ContractReference } from '../../shared/api/cluster/reader.ts';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Machine } from '../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../shared/api/machine-set/reader.ts';
import type { Unstructured } from '../../shared/api/object.ts';
import type { ContractVersion } from '../../shared/contract/contract-version.ts';

/** An object that the Cluster names: its infrastructure cluster or its control plane. */
export type External =
  /** The Cluster names none. */
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** Named, and not known: reading it failed, or was not worth it in this pass. */
  | { readonly state: 'unreadable'; readonly ref: ContractReference; readonly error: string }
  | {
      readonly state: 'found';
      readonly ref: ContractReference;
      readonly object: Unstructured;
      readonly contract: ContractVersion;
    };

/** The kinds below a Cluster, each as far as its list could be read. */
export interface DescendantLists {
  readonly machineDeployments: Checked<readonly MachineDeployment[]>;
  readonly machineSets: Checked<readonly MachineSet[]>;
  readonly machinePools: Checked<readonly MachinePool[]>;
  readonly machines: Checked<readonly Machine[]>;
}

/** A pass that runs the phases, or only waits for the topology to name the objects: then neither they nor lists are read. */
export interface WholeView {
  readonly step: 'phases' | 'topologyWait';
  readonly cluster: Cluster;
  /** `undefined` without topology. */
  readonly clusterClass: ClusterClass | undefined;
  readonly infrastructure: External;
  readonly controlPlane: External;
  readonly lists: DescendantLists;
  /** A Cluster with topology is deleted only after its BeforeClusterDelete hook allowed it. */
  readonly honorsDeleteHook: boolean;
}

export type Seen =
  /** The finalizer comes first, alone. */
  | { readonly step: 'finalizer'; readonly cluster: Cluster }
  /** The Paused condition has to be written, alone. */
  | { readonly step: 'pausedCondition'; readonly cluster: Cluster }
  /** Without its ClusterClass nothing is done for a Cluster with topology, and nothing is reported. */
  | { readonly step: 'clusterClassError'; readonly cluster: Cluster; readonly error: string }
  | WholeView;
