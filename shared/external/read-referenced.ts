// Reads an object of a provider: its API version from its CRD, then the object.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { Contract } from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../api/cluster/reader.ts';
import type { External } from './external.ts';
import { type ContractReads, readInContract } from './read-in-contract.ts';

/** Whether an object that was found in a remembered contract is used. */
export type IsEnough = (object: Unstructured, contract: Contract) => boolean;

interface Named {
  readonly ref: ContractReference;
  readonly namespace: string;
  /**
   * Required if the contract determines more than the API version of the object. Default: each object that was found is
   * used.
   */
  readonly isEnough?: IsEnough;
}

/** Sends two requests, one after the other, or one if the contract is remembered. It does not wait for other reads. */
export async function readReferenced({ ref, namespace, isEnough }: Named, ask: ContractReads): Promise<External> {
  const { apiGroup, kind, name } = ref;
  const read = await readInContract(
    { ref, isEnough, read: ({ version }) => ask.get({ apiVersion: `${apiGroup}/${version}`, kind, namespace, name }) },
    ask,
  );
  if (read === undefined) {
    return { state: 'undefined' };
  }
  if (!read.ok) {
    return { state: 'unreadable', ref, error: read.error };
  }
  const { answer, contract } = read.value;
  if (answer.ok) {
    return { state: 'found', ref, object: answer.value, contract: contract.contract };
  }
  const error = `failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${answer.failure.message}`;
  return answer.missing ? { state: 'missing', ref } : { state: 'unreadable', ref, error };
}
