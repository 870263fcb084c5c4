// Ports to workload clusters: whether the API server answers, and which kubelet versions the Nodes run.
import type { Checked, Instant } from '@capi-serverless/apimachinery';

export interface ProbeTarget {
  /** The uid of the Cluster, under which probe results are cached. */
  readonly cluster: string;
  /** Names the kubeconfig in messages. */
  readonly origin: string;
  readonly kubeconfig: string;
  /** Changes with the kubeconfig. */
  readonly version: string;
}

export type Probe =
  | { readonly ok: true }
  /** `error` never quotes the kubeconfig. `lastSuccessAt`: when a probe last succeeded, if known. */
  | { readonly ok: false; readonly error: string; readonly lastSuccessAt?: Instant };

export interface Workload {
  /** Limited to 5 s and by the signal. Never rejects. Within 10 s it returns the previous result. */
  probe(target: ProbeTarget, signal: AbortSignal): Promise<Probe>;
}

export interface WorkloadNodes {
  /**
   * The kubelet version of each Node, "" if it reports none, or why it could not be read. Limited to 10 s and by the signal.
   * Never rejects.
   */
  kubeletVersions(
    target: ProbeTarget,
    nodes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Checked<string>>>;
}

/** The port of reconcilers that read Nodes. */
export interface WorkloadNodesPort {
  readonly nodes: WorkloadNodes;
}
