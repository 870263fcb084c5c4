// The port of the certificate signer. Its implementation is large and rarely used, so it is loaded on demand.
import type { Checked, Instant } from '@capi-serverless/apimachinery';

/** A certificate authority as stored in its Secret: PEM texts, of which the first block is used. */
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
   * Returns an administrator's kubeconfig with a new key, valid from the authority's first day until one year from now. Not
   * ok if the authority cannot sign; the error never quotes its content.
   */
  kubeconfig(request: KubeconfigRequest): Promise<Checked<string>>;
  /** Parses a kubeconfig that `kubeconfig` generated; undefined for others, for example with several users or plugins. */
  inspect(kubeconfig: string): Promise<OwnKubeconfig | undefined>;
}

export interface OwnKubeconfig {
  readonly clusterName: string;
  readonly server: string;
  /** When its client certificate expires. */
  readonly expiresAt: Instant;
}
