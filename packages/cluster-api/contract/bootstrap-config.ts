// The fields of a bootstrap config that the core reads.
import type { ContractVersion } from './contract-version.ts';
import { type Found, readBoolean, readString } from './path.ts';
import { providerPaths } from './provider-paths.ts';

/** Returns whether the Secret with the bootstrap data was created. */
export function readDataSecretCreated(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].dataSecretCreated);
}

/** Returns the name of the Secret with the bootstrap data. */
export function readDataSecretName(object: unknown): Found<string> {
  return readString(object, 'status.dataSecretName');
}
