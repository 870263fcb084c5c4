// The field paths of each version of the provider contract. The core reads these fields, and providers write them.
import { type FailureDomain, sortFailureDomains } from './failure-domain.ts';

/** `v1alpha3` objects have the CRD label of v1beta1. */
export type ProviderContract = 'v1alpha3' | 'v1beta1' | 'v1beta2';

interface ProviderPaths {
  readonly endpoint: string;
  readonly provisioned: string;
  readonly failureDomains: string;
  readonly failureDomainsForm: 'map' | 'list';
  readonly controlPlaneInitialized: string;
  readonly dataSecretCreated: string;
  /** Absent if the contract has no failure fields. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  /** The label key of the CRD. */
  readonly crdLabel: string;
}

const legacyPaths: ProviderPaths = {
  endpoint: 'spec.controlPlaneEndpoint',
  provisioned: 'status.ready',
  failureDomains: 'status.failureDomains',
  failureDomainsForm: 'map',
  controlPlaneInitialized: 'status.initialized',
  dataSecretCreated: 'status.ready',
  failure: { reason: 'status.failureReason', message: 'status.failureMessage' },
  crdLabel: 'cluster.x-k8s.io/v1beta1',
};

export const providerPaths: Readonly<Record<ProviderContract, ProviderPaths>> = {
  v1alpha3: legacyPaths,
  v1beta1: legacyPaths,
  v1beta2: {
    endpoint: 'spec.controlPlaneEndpoint',
    provisioned: 'status.initialization.provisioned',
    failureDomains: 'status.failureDomains',
    failureDomainsForm: 'list',
    controlPlaneInitialized: 'status.initialization.controlPlaneInitialized',
    dataSecretCreated: 'status.initialization.dataSecretCreated',
    failure: undefined,
    crdLabel: 'cluster.x-k8s.io/v1beta2',
  },
};

/** Returns the domains in the form of the contract: a list sorted by name, or a map by name. */
export function toFailureDomainsField(domains: readonly FailureDomain[], contract: ProviderContract): unknown {
  const sorted = sortFailureDomains(domains);
  if (providerPaths[contract].failureDomainsForm === 'list') {
    return sorted;
  }
  return Object.fromEntries(sorted.map(({ name, ...domain }) => [name, domain]));
}
