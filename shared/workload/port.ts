// The ports through which a reconciler asks whether a workload cluster's API server answers, and what its Nodes run.
import type { Checked } from '../api/checked.ts';
import type { Instant } from '../api/object.ts';

export interface ProbeTarget {
  /** uid of the Cluster: what is remembered of it dies with it. */
  readonly cluster: string;
  /** Names the kubeconfig in messages. */
  readonly origin: string;
  readonly kubeconfig: string;
  /** Differs whenever the kubeconfig does. */
  readonly version: string;
}

export type Probe =
  | { readonly ok: true }
  /** `error` never quotes the kubeconfig. `lastSuccessAt`: the last probe that went well, where that is known. */
  | { readonly ok: false; readonly error: string; readonly lastSuccessAt?: Instant };

export interface Workload {
  /** Bounded to 5 s, and by the signal. Never rejects. Repeated within 10 s it tells what it found before. */
  probe(target: ProbeTarget, signal: AbortSignal): Promise<Probe>;
}

export interface WorkloadNodes {
  /**
   * The kubelet version that each of these Nodes reports, "" for none, or why it could not be read. Bounded to 10 s, and by
   * the signal. Never rejects.
   */
  kubeletVersions(
    target: ProbeTarget,
    nodes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Checked<string>>>;
}

/** What a reconciler is handed that looks at Nodes. */
export interface WorkloadNodesPort {
  readonly nodes: WorkloadNodes;
}
