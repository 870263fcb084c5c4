// The result of observe for one Cluster: the input of decide and report.
import type { Checked, Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Machine } from '../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../shared/api/machine-set/reader.ts';
import type { External } from '../../shared/external/external.ts';
import type { ClassNamespaces } from '../../shared/topology/class-namespaces.ts';

/** The descendants of a Cluster by kind. Each list is an answer, because each read can fail. */
export interface DescendantLists {
  readonly machineDeployments: Checked<readonly MachineDeployment[]>;
  readonly machineSets: Checked<readonly MachineSet[]>;
  readonly machinePools: Checked<readonly MachinePool[]>;
  readonly machines: Checked<readonly Machine[]>;
}

/** The settings for all Clusters of this deployment. */
export interface ClusterSettings {
  /** The deletion of a Cluster with topology waits for the hook BeforeClusterDelete. */
  readonly honorsDeleteHook: boolean;
  /** MachinePools are listed and counted. */
  readonly countsMachinePools: boolean;
  /** Workload clusters are probed, and the condition RemoteConnectionProbe is reported. */
  readonly probesRemote: boolean;
  /** The duration of probe failures after which the condition of a connected Cluster becomes False. */
  readonly remoteGracePeriodMs: number;
  readonly resyncPeriodMs: number;
  /** A class of another namespace is not read. Its availability gates have no effect. */
  readonly classNamespaces: ClassNamespaces;
}

/** The handling of the kubeconfig Secret in this pass. `text` contains keys, so it is written to the Secret only. */
export type KubeconfigState =
  /** The Secret exists, or none is required. */
  | { readonly state: 'settled' }
  | { readonly state: 'failed'; readonly error: string }
  /** The certificate authority for the Secret does not exist yet. */
  | { readonly state: 'withoutAuthority' }
  | { readonly state: 'missing'; readonly text: string }
  | { readonly state: 'expiring'; readonly secret: Unstructured; readonly text: string };

/** The state of the connection to the workload cluster. */
export type RemoteState =
  /** Probes are disabled. */
  | { readonly state: 'off' }
  /**
   * No probe was sent: there is no kubeconfig, or this pass sends no probe. `isAwaited`: a later pass will probe.
   * `isPostponed`: the pass had no time for the probe.
   */
  | { readonly state: 'skipped'; readonly isAwaited: boolean; readonly isPostponed?: true }
  | { readonly state: 'succeeded' }
  /** No probe was sent, because the kubeconfig is refused. `problem` names the Secret and contains nothing of its content. */
  | { readonly state: 'refused'; readonly problem: string }
  /** `lastSuccessAt` is known only in the process that sent the probe. */
  | { readonly state: 'failed'; readonly lastSuccessAt: Instant | undefined };

/**
 * A pass that runs the phases. 'topologyWait': the topology has not set the references yet, so external objects and
 * lists are not read.
 */
export interface ObservedCluster {
  readonly step: 'phases' | 'topologyWait';
  readonly cluster: Cluster;
  /** `undefined` if the Cluster has no topology. */
  readonly clusterClass: ClusterClass | undefined;
  readonly infrastructure: External;
  readonly controlPlane: External;
  readonly lists: DescendantLists;
  readonly kubeconfig: KubeconfigState;
  readonly remote: RemoteState;
  readonly settings: ClusterSettings;
  /** The time for reads was up before all were answered. What is stored about unread objects is kept. */
  readonly isLate?: true;
}
