// How a client reaches one API server and proves who it is; adapters: kubeconfig, in-cluster service account.

/** Address and TLS. PEM texts. */
export interface Endpoint {
  /** `https://host[:port][/prefix]`. A token is never sent over plain http. */
  readonly server: string;
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Name expected in the server's certificate, where it differs from the address. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify: boolean;
}

export interface Access {
  /** The same object as before unless something of it changed, so that clients know when to open new connections. */
  readonly endpoint: Endpoint;
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
}

export interface Credentials {
  /** The server's address, for messages. */
  readonly server: string;
  /** What to use for the next request. Never rejects: a source that cannot be read leaves what was read before. */
  current(): Promise<Access>;
  /** Called after the server refused the credentials (401). True when there are other ones now. */
  refresh(): Promise<boolean>;
}
