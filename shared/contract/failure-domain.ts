// A failure domain as the Cluster reports it, whatever form its provider uses.
import { compareText } from '../names/text-order.ts';

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
