// Reads from the API server in the API version of a provider's kind. The labels of its CRD contain the contract and the
// version.
import {
  type Answer,
  type Checked,
  crdNameOf,
  invalid,
  type ObjectMeta,
  type Reads,
  valid,
} from '@capi-serverless/apimachinery';
import { type Contract, chooseContract } from '@capi-serverless/cluster-api/contract';
import { type ContractReference, isDefined } from '../api/cluster/reader.ts';
import type { RecentContracts } from './contract-memory.ts';

/** Reads of a reconciler. */
export interface ContractReads extends Reads {
  /** If absent, each read begins with the definition. */
  readonly contracts?: RecentContracts;
}

interface InContract<T> {
  readonly ref: ContractReference;
  readonly read: (contract: Contract) => Promise<Answer<T>>;
  /** Whether what was found in a remembered contract is used. Default: it is, because only its version was used. */
  readonly isEnough?: ((found: T, contract: Contract) => boolean) | undefined;
}

export interface ReadInContract<T> {
  readonly contract: Contract;
  readonly answer: Answer<T>;
}

/**
 * Reads the definition of the kind, then calls `read`. Returns `undefined` if the reference is not set.
 *
 * With `contracts`, a contract that this process has just read is tried first. A remembered contract only finds: if the
 * object is missing, its version is not served or `isEnough` is false, the definition is read again, and the object as
 * well if its contract has changed. After another failure, the contract is forgotten.
 */
export async function readInContract<T>(
  { ref, read, isEnough = () => true }: InContract<T>,
  ask: Pick<ContractReads, 'metadata' | 'contracts'>,
): Promise<Checked<ReadInContract<T>> | undefined> {
  if (!isDefined(ref)) {
    return undefined;
  }
  const { contracts } = ask;
  const definition = crdNameOf({ group: ref.apiGroup, kind: ref.kind });
  const readWith = async (contract: Contract): Promise<ReadInContract<T>> => ({
    contract,
    answer: await read(contract),
  });
  const known = contracts?.find(definition);
  const first = known === undefined ? undefined : await readWith(known);
  if (first?.answer.ok === true && isEnough(first.answer.value, first.contract)) {
    return valid(first);
  }
  contracts?.forget(definition);
  if (first !== undefined && !first.answer.ok && !isUnknown(first.answer)) {
    return valid(first);
  }
  const contract = await readContract(definition, ask);
  if (!contract.ok) {
    return contract;
  }
  contracts?.remember(definition, contract.value);
  return valid(first !== undefined && isSame(first.contract, contract.value) ? first : await readWith(contract.value));
}

/** The object does not exist, or its kind does not exist in this version. */
function isUnknown({ missing, failure }: Answer<unknown> & { readonly ok: false }): boolean {
  return missing || failure.notServed === true;
}

function isSame(one: Contract, other: Contract): boolean {
  return one.contract === other.contract && one.version === other.version;
}

/** Upstream reads the CRD two or three times per pass. */
async function readContract(name: string, ask: Pick<Reads, 'metadata'>): Promise<Checked<Contract>> {
  const answer = await ask.metadata({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
  return toContract(answer);
}

function toContract(crd: Answer<ObjectMeta>): Checked<Contract> {
  return crd.ok
    ? chooseContract(crd.value)
    : invalid(`failed to get object from ref: failed to get CustomResourceDefinition metadata: ${crd.failure.message}`);
}
