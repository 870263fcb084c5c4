import { describe, expect, it } from 'vitest';
import { withOlderVersions } from '../../../../infra/kubernetes/versioned-definition.ts';
import { clusterctlProviderCrd } from '../../../../shared/api/clusterctl-provider/crd.ts';
import { extensionConfigCrd } from '../../../../shared/api/extension-config/crd.ts';
import { ipAddressCrd } from '../../../../shared/api/ip-address/crd.ts';
import { machineDeploymentCrd } from '../../../../shared/api/machine-deployment/crd.ts';
import type { CustomResourceDefinition } from '../../../../shared/api/schema/definition.ts';

const clientConfig = { url: 'https://functions.test/token/convert' };

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly subresources: object;
  readonly additionalPrinterColumns: readonly { readonly name: string }[];
  readonly schema: { readonly openAPIV3Schema: { readonly properties: Readonly<Record<string, unknown>> } };
}

const versionsOf = (crd: CustomResourceDefinition): readonly Version[] =>
  Object(withOlderVersions(crd, clientConfig)['spec']).versions;

describe('a definition with older versions', () => {
  it('stores the newest one, and converts by the webhook', () => {
    const [older, stored] = versionsOf(machineDeploymentCrd);
    expect(stored).toEqual(machineDeploymentCrd.spec.versions[0]);
    expect(older).toMatchObject({ name: 'v1beta1', served: true, storage: false, deprecated: true });
    expect(older?.subresources).toEqual(stored?.subresources);
    expect(withOlderVersions(machineDeploymentCrd, clientConfig)).toMatchObject({
      metadata: machineDeploymentCrd.metadata,
      spec: { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } } },
    });
  });

  it('has the fields and columns of the older version', () => {
    const [older] = versionsOf(machineDeploymentCrd);
    expect(older?.additionalPrinterColumns.map(({ name }) => name)).toContain('Unavailable');
    expect(older?.schema.openAPIV3Schema.properties['status']).toMatchObject({
      properties: { unavailableReplicas: { type: 'integer' } },
    });
  });

  it.each([
    { crd: extensionConfigCrd, versions: ['v1alpha1 deprecated', 'v1beta2'] },
    { crd: ipAddressCrd, versions: ['v1beta1 deprecated', 'v1alpha1', 'v1beta2'] },
  ])('has the versions of upstream: $versions', ({ crd, versions }) => {
    expect(versionsOf(crd).map(({ name, deprecated }) => (deprecated ? `${name} deprecated` : name))).toEqual(versions);
  });

  it('is the definition itself if there are none', () => {
    expect(withOlderVersions(clusterctlProviderCrd, clientConfig)).toBe(clusterctlProviderCrd);
  });
});
