// The CRDs of Cluster API as upstream installs them: with the older version served, and with a conversion webhook.
import type { Intent } from '@capi-serverless/apimachinery';
import { withOlderVersions } from '../../../infra/kubernetes/versioned-definition.ts';
import { coreCrds } from '../../../shared/api/crds.ts';

/** The address of upstream's webhooks. No Pod is behind it here. */
export const upstreamService = { namespace: 'capi-system', name: 'capi-webhook-service', port: 443 };

/** cert-manager writes the authority of this certificate into each `caBundle`. */
export const injection = { 'cert-manager.io/inject-ca-from': 'capi-system/capi-serving-cert' };

/** A CRD of a provider that serves no version v1beta2. */
export const providerCrd: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'amachines.infrastructure.cluster.x-k8s.io',
    labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' },
  },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'AMachine', plural: 'amachines' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

export function versionedCrds(clientConfig: object): readonly Intent[] {
  return coreCrds.map(crd => {
    const { metadata, ...rest } = withOlderVersions(crd, clientConfig);
    return { ...rest, metadata: { ...metadata, annotations: injection } };
  });
}
