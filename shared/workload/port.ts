// Ports to workload clusters. They report whether the API server answers, and the kubelet versions of the Nodes.
import type { Checked, Instant } from '@capi-serverless/apimachinery';

export interface ProbeTarget {
  /** The uid of the Cluster. Probe results are cached under this uid. */
  readonly cluster: string;
  /** The name of the kubeconfig in messages. */
  readonly origin: string;
  readonly kubeconfig: string;
  /** A value that changes with the kubeconfig. */
  readonly version: string;
}

/** The probe timeout of upstream. */
export const probeTimeoutMs = 5_000;

export type Probe =
  | { readonly ok: true }
  /**
   * `error` never quotes the kubeconfig. `lastSuccessAt` is the time of the last successful probe, if known.
   * `postponed`: no probe was sent, because it could not end before the deadline.
   */
  | { readonly ok: false; readonly error: string; readonly lastSuccessAt?: Instant; readonly postponed?: true };

export interface WorkloadClusters {
  /**
   * Limited to 5 s and by the signal. Never rejects. Within 10 s, it returns the previous result. A probe that may not
   * end before `deadline` is not sent.
   */
  probe(target: ProbeTarget, signal: AbortSignal, deadline?: Instant): Promise<Probe>;
}

export interface WorkloadNodes {
  /**
   * Returns the kubelet version of each Node, or the reason why it could not be read. The version is "" if the Node
   * reports none. Limited to 10 s and by the signal. Never rejects.
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
