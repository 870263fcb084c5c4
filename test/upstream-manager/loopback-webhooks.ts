// Webhooks and conversion of a manager that runs as a process on this machine, not behind a Service.
import type { Intent } from '@capi-serverless/apimachinery';
import type { WorldClient } from '../support/world-client.ts';

interface LoopbackServer {
  /** The prefix that upstream's release gives to the names of the webhook configurations. */
  readonly prefix: string;
  /** The port of the manager's webhook server. */
  readonly port: number;
  /** The PEM of the certificate of its authority. */
  readonly certificatePem: string;
}

interface ManagerKinds {
  readonly crds: readonly Intent[];
  /** The webhook configurations, as upstream's module contains them. */
  readonly webhooks: readonly Intent[];
}

interface Webhook {
  readonly clientConfig: { readonly service: { readonly path: string } };
}

/** The CRDs exist. From now on, the manager must run, because the API server calls it. */
export async function answerWebhooks(
  client: WorldClient,
  { crds, webhooks }: ManagerKinds,
  { prefix, port, certificatePem }: LoopbackServer,
): Promise<void> {
  const caBundle = Buffer.from(certificatePem).toString('base64');
  const clientConfigOf = (path: string) => ({ url: `https://127.0.0.1:${port}${path}`, caBundle });
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: clientConfigOf('/convert') };
  for (const { metadata } of crds) {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: metadata.name };
    await client.patch(ref, { spec: { conversion: { strategy: 'Webhook', webhook } } });
  }
  for (const { metadata, webhooks: hooks, ...configuration } of webhooks) {
    await client.create({
      ...configuration,
      metadata: { ...metadata, name: `${prefix}-${metadata.name}` },
      // True: the API requires hooks, and those of upstream have Services.
      webhooks: (hooks as readonly Webhook[]).map(({ clientConfig: { service }, ...hook }) => ({
        ...hook,
        clientConfig: clientConfigOf(service.path),
      })),
    });
  }
}
