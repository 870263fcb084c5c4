// What the core reads of an infrastructure cluster object.
import type { ContractVersion } from './contract-version.ts';
import { type Found, readBoolean, readString } from './path.ts';
import { providerPaths } from './provider-paths.ts';

export interface FailureDomain {
  readonly name: string;
  readonly controlPlane: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The infrastructure is provisioned, once and for all. */
export function readProvisioned(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].provisioned);
}

/** Sorted by name; an absent `controlPlane` is false. A list under v1beta1 or a map under v1beta2 is of the wrong type. */
export function readFailureDomains(object: unknown, contract: ContractVersion): Found<readonly FailureDomain[]> {
  throw new Error(`not written: ${object} ${contract}`);
}

/** `status.failureReason`, read under every contract version. */
export function readFailureReason(object: unknown): Found<string> {
  return readString(object, 'status.failureReason');
}

/** `status.failureMessage`, read under every contract version. */
export function readFailureMessage(object: unknown): Found<string> {
  return readString(object, 'status.failureMessage');
}
