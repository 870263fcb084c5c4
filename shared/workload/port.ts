// The port through which a reconciler asks whether a workload cluster's API server answers.
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
