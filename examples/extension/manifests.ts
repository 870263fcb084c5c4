// What tells Cluster API of this server: the Secret with its authority, and the ExtensionConfig that names both.
import type { Intent } from '../../shared/api/object.ts';

export interface ManifestOptions {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** Of the ExtensionConfig, behind a dot in the names of all handlers. */
  readonly name: string;
  /** Where the Secret lies. */
  readonly namespace: string;
}

export function toManifests({ url, authority, name, namespace }: ManifestOptions): readonly Intent[] {
  const secret = `${name}-extension-ca`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret, namespace },
      data: { 'ca.crt': Buffer.from(authority).toString('base64') },
    },
    {
      apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
      kind: 'ExtensionConfig',
      metadata: {
        name,
        annotations: { 'runtime.cluster.x-k8s.io/inject-ca-from-secret': `${namespace}/${secret}` },
      },
      spec: {
        clientConfig: { url },
        // Clusters of all namespaces. Without this field webhooks set it so; without them it would match nothing.
        namespaceSelector: {},
        settings: { zones: 'zone-a,zone-b,zone-c', retryAfterSeconds: '10' },
      },
    },
  ];
}
