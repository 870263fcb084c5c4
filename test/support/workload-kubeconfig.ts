// Kubeconfigs of workload clusters, in JSON.

interface Parts {
  readonly server: string;
  readonly ca?: string;
  readonly token?: string;
}

/** A kubeconfig for this server, with a token or without credentials. */
export function plainKubeconfig({ server, ca, token }: Parts): string {
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, ...authority } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: token === undefined ? {} : { token } }],
    'current-context': 'x',
  });
}
