// A failure domain in the form of the Cluster status, independent of the provider's form.
import { compareText } from '@capi-serverless/apimachinery';

export interface FailureDomain {
  readonly name: string;
  /** Whether the domain is suitable for control plane machines. */
  readonly controlPlane: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Sorts by name. */
export function sortFailureDomains(domains: readonly FailureDomain[]): readonly FailureDomain[] {
  return domains.toSorted((a, b) => compareText(a.name, b.name));
}
