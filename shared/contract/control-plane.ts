// What the core reads of a control plane object.
import type { ContractVersion } from './contract-version.ts';
import { type Found, readBoolean, readInteger, readString } from './path.ts';
import { providerPaths } from './provider-paths.ts';

/** How many replicas run one Kubernetes version. */
export interface StatusVersion {
  readonly version: string;
  readonly replicas?: number;
}

/** Each counter as far as the object tells; a field of the wrong type is told apart from an absent one. */
export interface ReplicaCounters {
  readonly desired: Found<number>;
  readonly replicas: Found<number>;
  readonly ready: Found<number>;
  readonly available: Found<number>;
  readonly upToDate: Found<number>;
}

/** The control plane accepts requests, once and for all. */
export function readInitialized(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].controlPlaneInitialized);
}

/** Under v1beta1 available is desired minus unavailable, at least 0, and absent while one of the two is. */
export function readReplicaCounters(object: unknown, contract: ContractVersion): ReplicaCounters {
  throw new Error(`not written: ${object} ${contract} ${readInteger}`);
}

/** `status.versions`; of the wrong type also when a version or a count is not valid or the list is not ascending. */
export function readStatusVersions(object: unknown): Found<readonly StatusVersion[]> {
  throw new Error(`not written: ${object}`);
}

/** `spec.version`. */
export function readDesiredVersion(object: unknown): Found<string> {
  return readString(object, 'spec.version');
}

/** `status.version`. */
export function readCurrentVersion(object: unknown): Found<string> {
  return readString(object, 'status.version');
}
