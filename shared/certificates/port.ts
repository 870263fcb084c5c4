// The port of the certificate signer. Its implementation is large and rarely used, so it is loaded on demand.
import type { Checked, Instant } from '@capi-serverless/apimachinery';

/** A certificate authority as stored in its Secret. The first block of each PEM text is used. */
export interface Authority {
  readonly certificate: string;
  /** The key in PKCS#1, PKCS#8 or SEC 1 format. */
  readonly privateKey: string;
}

export interface KubeconfigRequest {
  readonly clusterName: string;
  /** The URL in the form `https://host:port`. */
  readonly server: string;
  readonly authority: Authority;
  readonly now: Instant;
}

export interface Signer {
  /**
   * Returns an administrator's kubeconfig with a new key. It is valid from the first day of the authority until one
   * year from now. Returns an error if the authority cannot sign. The error never quotes the authority.
   */
  kubeconfig(request: KubeconfigRequest): Promise<Checked<string>>;
  /**
   * Parses a kubeconfig that `kubeconfig` generated. Returns undefined for other kubeconfigs, for example with several
   * users or plugins.
   */
  inspect(kubeconfig: string): Promise<OwnKubeconfig | undefined>;
}

export interface OwnKubeconfig {
  readonly clusterName: string;
  readonly server: string;
  /** The expiry time of the client certificate. */
  readonly expiresAt: Instant;
}
