// The port behind which certificates are made: the code for it is large and rarely needed.
import type { Checked } from '../api/checked.ts';
import type { Instant } from '../api/object.ts';

/** A certificate authority as its Secret holds it: PEM texts, of which the first block counts. */
export interface Authority {
  readonly certificate: string;
  /** PKCS#1, PKCS#8 or SEC 1. */
  readonly privateKey: string;
}

export interface KubeconfigRequest {
  readonly clusterName: string;
  /** `https://host:port` */
  readonly server: string;
  readonly authority: Authority;
  readonly now: Instant;
}

export interface Signer {
  /**
   * An administrator's kubeconfig with a new key, valid from the authority's first day until a year from now. Not ok: the
   * authority cannot sign; the error never quotes what it holds.
   */
  kubeconfig(request: KubeconfigRequest): Promise<Checked<string>>;
  /** What `kubeconfig` put into this text, if it comes from there: other users, plugins or several contexts make it foreign. */
  inspect(kubeconfig: string): Promise<OwnKubeconfig | undefined>;
}

export interface OwnKubeconfig {
  readonly clusterName: string;
  readonly server: string;
  /** When its client certificate ceases to be valid. */
  readonly expiresAt: Instant;
}
