// The manifests that register this server: a Secret with its authority, and the ExtensionConfig.
import type { Intent } from '@capi-serverless/apimachinery';

interface ManifestOptions {
  readonly url: string;
  /** The certificate authority as PEM. */
  readonly authority: string;
  /** The name of the ExtensionConfig. The names of all handlers end with a dot and this name. */
  readonly name: string;
  /** The namespace of the Secret. */
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
        // Selects all namespaces. Upstream's webhook sets this default. Without the webhook, an absent field selects
        // none.
        namespaceSelector: {},
        settings: { zones: 'zone-a,zone-b,zone-c', retryAfterSeconds: '10' },
      },
    },
  ];
}
