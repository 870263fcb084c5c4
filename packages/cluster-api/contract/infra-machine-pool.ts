// The fields of the infrastructure of a MachinePool that the core reads.
import * as z from 'zod/mini';
import type { ContractVersion } from './contract-version.ts';
import { type Found, readBoolean, readField, readInteger, readString } from './path.ts';
import { providerPaths } from './provider-paths.ts';

const idList = z.array(z.string('a string'), 'a list');

/**
 * Returns whether the infrastructure is provisioned. Cluster API reads `status.ready` for every version of the contract.
 * The field that the contract documents is read as well, and one of the two is sufficient.
 */
export function readPoolProvisioned(object: unknown, contract: ContractVersion): Found<boolean> {
  const found = [providerPaths.v1beta1.provisioned, providerPaths[contract].provisioned].map(path =>
    readBoolean(object, path),
  );
  return (
    found.find(({ state }) => state === 'wrongType') ??
    found.find(each => each.state === 'value' && each.value) ??
    found.find(({ state }) => state === 'value') ?? { state: 'absent' }
  );
}

export function readProviderIdList(object: unknown): Found<readonly string[]> {
  return readField(object, 'spec.providerIDList', idList);
}

/** Returns the number of machines that the infrastructure has. */
export function readPoolReplicas(object: unknown): Found<number> {
  return readInteger(object, 'status.replicas');
}

/** Returns the kind of the objects that represent the machines of the pool. Absent: there are no such objects. */
export function readInfrastructureMachineKind(object: unknown): Found<string> {
  return readString(object, 'status.infrastructureMachineKind');
}
