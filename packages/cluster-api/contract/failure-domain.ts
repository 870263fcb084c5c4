// A failure domain as the Cluster reports it, in whatever form its provider stores it.
import { compareText } from '@capi-serverless/apimachinery';

export interface FailureDomain {
  readonly name: string;
  /** Suitable for control plane machines. */
  readonly controlPlane: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** By name. */
export function sortFailureDomains(domains: readonly FailureDomain[]): readonly FailureDomain[] {
  return domains.toSorted((a, b) => compareText(a.name, b.name));
}
