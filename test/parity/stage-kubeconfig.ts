// The kubeconfig of the API server of a stage. The recordings contain the names in it.

interface ServerAccess {
  readonly url: string;
  readonly caPem?: string;
  readonly token?: string;
}

export function toKubeconfig({ url, caPem = '', token = '' }: ServerAccess): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [
      { name: 'c', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
}
