// The result of observe for one Cluster: the input of decide and report.
import type { Checked, Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import type { Cluster, ContractReference } from '../../shared/api/cluster/reader.ts';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Machine } from '../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../shared/api/machine-set/reader.ts';

/** An object that the Cluster names: its infrastructure cluster or its control plane. */
export type External =
  /** The Cluster names none. */
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** Named, but unknown: reading it failed, or this pass does not need it. */
  | { readonly state: 'unreadable'; readonly ref: ContractReference; readonly error: string }
  | {
      readonly state: 'found';
      readonly ref: ContractReference;
      readonly object: Unstructured;
      readonly contract: ContractVersion;
    };

/** The descendants of a Cluster by kind, each as far as its list could be read. */
export interface DescendantLists {
  readonly machineDeployments: Checked<readonly MachineDeployment[]>;
  readonly machineSets: Checked<readonly MachineSet[]>;
  readonly machinePools: Checked<readonly MachinePool[]>;
  readonly machines: Checked<readonly Machine[]>;
}

/** How this deployment treats all Clusters. */
export interface Settings {
  /** The deletion of a Cluster with topology waits for its BeforeClusterDelete hook. */
  readonly honorsDeleteHook: boolean;
  /** MachinePools are listed and counted. */
  readonly countsMachinePools: boolean;
  /** Workload clusters are probed, and RemoteConnectionProbe is reported. */
  readonly probesRemote: boolean;
  /** How long the probes of a connected Cluster may fail before its condition becomes False. */
  readonly remoteGracePeriodMs: number;
  readonly resyncPeriodMs: number;
}

/** What this pass does about the kubeconfig Secret. `text` contains keys: it is written to the Secret and nowhere else. */
export type KubeconfigState =
  /** It exists, or none is due. */
  | { readonly state: 'settled' }
  | { readonly state: 'failed'; readonly error: string }
  /** The authority that signs it does not exist yet. */
  | { readonly state: 'withoutAuthority' }
  | { readonly state: 'missing'; readonly text: string }
  | { readonly state: 'expiring'; readonly secret: Unstructured; readonly text: string };

/** What is known of the connection to the workload cluster. */
export type RemoteState =
  /** Probes are off. */
  | { readonly state: 'off' }
  /** No kubeconfig to probe with, or not in this pass. `isAwaited`: a later pass will probe. */
  | { readonly state: 'skipped'; readonly isAwaited: boolean }
  | { readonly state: 'succeeded' }
  /** `lastSuccessAt` is known only in the process that probed. */
  | { readonly state: 'failed'; readonly lastSuccessAt: Instant | undefined };

/** A pass that runs the phases. 'topologyWait': the topology has not named the objects, so neither they nor lists are read. */
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

/** A pass that runs no phase. */
export type EarlyEnd =
  /** The finalizer is missing; it is the only write of the pass. */
  | { readonly step: 'finalizer'; readonly cluster: Cluster }
  /** The Paused condition is missing or outdated; it is the only write of the pass. */
  | { readonly step: 'pausedCondition'; readonly cluster: Cluster }
  /** Without its ClusterClass nothing is done for a Cluster with topology, and nothing is reported. */
  | { readonly step: 'clusterClassError'; readonly cluster: Cluster; readonly error: string };
