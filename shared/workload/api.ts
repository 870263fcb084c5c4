// The port to the objects of workload clusters. It has no writing verb: writes are actions.
import type { Answer, ApiFailure, Reads } from '@capi-serverless/apimachinery';
import type { ProbeTarget } from './port.ts';

/** The parts of a Node that remain from a list of all Nodes. */
export interface ListedNode {
  readonly name: string;
  /** "" if the Node has none. */
  readonly providerID: string;
}

/** A kind that the server serves. */
export interface ServedResource {
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** The reads of one workload cluster. */
export interface WorkloadReads extends Pick<Reads, 'get' | 'list'> {
  /**
   * Returns name and providerID of all Nodes. One scan per Cluster serves all Machines of a batch for 10 s. Pages are
   * parsed one by one, and nothing else is kept. After 410 Gone, the scan starts again, once.
   */
  nodes(): Promise<Answer<readonly ListedNode[]>>;
  /** Returns the kinds of this group and version. Empty if the server does not serve it. */
  resources(apiVersion: string): Promise<Answer<readonly ServedResource[]>>;
}

export interface WorkloadApi {
  /**
   * Never throws. If the kubeconfig is not usable or the cluster does not answer, each read fails, and
   * `isConnectionDown(failure)` is true.
   */
  reads(target: ProbeTarget, signal: AbortSignal): WorkloadReads;
}

/** Returns false if the request was not sent: one failed just before, or no connection was free. */
export function wasSent({ reason, code, notSent }: ApiFailure): boolean {
  return notSent !== true && !(reason === 'TooManyRequests' && code === undefined);
}

/**
 * Returns true for an unusable kubeconfig, a failure of DNS, TCP or TLS, no answer within 5 s, and 401. Returns false
 * for every other HTTP answer.
 */
export function isConnectionDown({ reason, code }: ApiFailure): boolean {
  return reason === 'Unauthorized' || (reason === 'Unavailable' && code === undefined);
}
