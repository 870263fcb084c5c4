// What observe knows of one Cluster: everything that decide and report conclude from.
import type { Checked } from '../../shared/api/checked.ts';
import type { Cluster, ContractReference } from '../../shared/api/cluster/reader.ts';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Machine } from '../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../shared/api/machine-set/reader.ts';
import type { Instant, Unstructured } from '../../shared/api/object.ts';
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

/** How this deployment treats all Clusters. */
export interface Settings {
  /** The deletion of a Cluster with topology waits until its BeforeClusterDelete hook allowed it. */
  readonly honorsDeleteHook: boolean;
  /** MachinePools are looked at. */
  readonly countsMachinePools: boolean;
  /** Workload clusters are probed, and RemoteConnectionProbe is told. */
  readonly probesRemote: boolean;
  /** How long the probes of a connected Cluster may fail before it says so. */
  readonly remoteGracePeriodMs: number;
  readonly resyncPeriodMs: number;
}

/** The kubeconfig Secret, as far as it is the Cluster's own business. Texts hold keys: they go into the Secret alone. */
export type KubeconfigState =
  /** There, or nothing that is due. */
  | { readonly state: 'settled' }
  | { readonly state: 'failed'; readonly error: string }
  /** Nobody has made the authority yet that could sign it. */
  | { readonly state: 'withoutAuthority' }
  | { readonly state: 'missing'; readonly text: string }
  | { readonly state: 'expiring'; readonly secret: Unstructured; readonly text: string };

/** What is known of the connection to the workload cluster. */
export type RemoteState =
  /** Nobody wants to know. */
  | { readonly state: 'off' }
  /** Nothing to probe with, or not in this pass; `isAwaited`: some pass will, once there is a kubeconfig. */
  | { readonly state: 'skipped'; readonly isAwaited: boolean }
  | { readonly state: 'succeeded' }
  /** `lastSuccessAt` is known only to a process that saw it. */
  | { readonly state: 'failed'; readonly lastSuccessAt: Instant | undefined };

/** A pass that runs the phases, or only waits for the topology to name the objects: then neither they nor lists are read. */
export interface WholeView {
  readonly step: 'phases' | 'topologyWait';
  readonly cluster: Cluster;
  /** `undefined` without topology. */
  readonly clusterClass: ClusterClass | undefined;
  readonly infrastructure: External;
  readonly controlPlane: External;
  readonly lists: DescendantLists;
  readonly kubeconfig: KubeconfigState;
  readonly remote: RemoteState;
  readonly settings: Settings;
}

export type Seen =
  /** The finalizer comes first, alone. */
  | { readonly step: 'finalizer'; readonly cluster: Cluster }
  /** The Paused condition has to be written, alone. */
  | { readonly step: 'pausedCondition'; readonly cluster: Cluster }
  /** Without its ClusterClass nothing is done for a Cluster with topology, and nothing is reported. */
  | { readonly step: 'clusterClassError'; readonly cluster: Cluster; readonly error: string }
  | WholeView;
