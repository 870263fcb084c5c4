import { describe, expect, test } from 'vitest';
import { readInitialized } from '../../../../../packages/cluster-api/contract/control-plane.ts';
import { readFailureDomains, readProvisioned } from '../../../../../packages/cluster-api/contract/infra-cluster.ts';
import { setAt } from '../../../../../packages/cluster-api/contract/path.ts';
import { providerPaths, toFailureDomainsField } from '../../../../../packages/cluster-api/contract/provider-paths.ts';

const domains = [
  { name: 'b', controlPlane: false },
  { name: 'a', controlPlane: true, attributes: { k: 'v' } },
];

describe('where a provider writes', () => {
  test.each([
    { contract: 'v1alpha3', provisioned: 'status.ready', crdLabel: 'cluster.x-k8s.io/v1beta1', failure: true },
    { contract: 'v1beta1', provisioned: 'status.ready', crdLabel: 'cluster.x-k8s.io/v1beta1', failure: true },
    {
      contract: 'v1beta2',
      provisioned: 'status.initialization.provisioned',
      crdLabel: 'cluster.x-k8s.io/v1beta2',
      failure: false,
    },
  ] as const)('$contract', ({ contract, provisioned, crdLabel, failure }) => {
    const paths = providerPaths[contract];
    expect(paths).toMatchObject({ provisioned, crdLabel, endpoint: 'spec.controlPlaneEndpoint' });
    expect(paths.failure).toEqual(
      failure ? { reason: 'status.failureReason', message: 'status.failureMessage' } : undefined,
    );
  });

  test.each([
    { contract: 'v1alpha3', form: { a: { controlPlane: true, attributes: { k: 'v' } }, b: { controlPlane: false } } },
    { contract: 'v1beta1', form: { a: { controlPlane: true, attributes: { k: 'v' } }, b: { controlPlane: false } } },
    { contract: 'v1beta2', form: domains.toReversed() },
  ] as const)('$contract writes failure domains in its form', ({ contract, form }) => {
    expect(toFailureDomainsField(domains, contract)).toEqual(form);
  });
});

describe('the core reads the fields that a provider writes', () => {
  test.each([
    { provider: 'v1alpha3', core: 'v1beta1' },
    { provider: 'v1beta1', core: 'v1beta1' },
    { provider: 'v1beta2', core: 'v1beta2' },
  ] as const)('$provider read as $core', ({ provider, core }) => {
    const paths = providerPaths[provider];
    const flagged = setAt(setAt({}, paths.provisioned, true), paths.controlPlaneInitialized, true);
    const written = setAt(flagged, paths.failureDomains, toFailureDomainsField(domains, provider));
    expect(readProvisioned(written, core)).toEqual({ state: 'value', value: true });
    expect(readInitialized(written, core)).toEqual({ state: 'value', value: true });
    expect(readFailureDomains(written, core)).toEqual({ state: 'value', value: domains.toReversed() });
  });
});
