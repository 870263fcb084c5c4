// The port for the address and credentials of one API server. Adapters: kubeconfig, EKS, in-cluster service account.

/** Address and TLS settings. Certificates are PEM texts. */
export interface ApiServerEndpoint {
  /** The URL in the form `https://host[:port][/prefix]`. Tokens are never sent over plain http. */
  readonly server: string;
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** The name expected in the server's certificate, if it differs from the address. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify: boolean;
}

export interface Access {
  /** The same object until its content changes, so that clients can detect when to open new connections. */
  readonly endpoint: ApiServerEndpoint;
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
}

export interface Credentials {
  /** The server's address, for messages. */
  readonly server: string;
  /**
   * Returns the credentials for the next request. Never rejects: if the source cannot be read, the previous value is
   * kept.
   */
  current(): Promise<Access>;
  /** Call this after a 401. Returns true if the credentials have changed. */
  refresh(): Promise<boolean>;
}
