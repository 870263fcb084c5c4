// Reads an object of a provider that a MachineSet, a Machine or a Cluster references.
import type { Answer, ObjectMeta, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import { readContract } from '../../../shared/external/read-referenced.ts';

export type ProviderRead =
  | { readonly state: 'undefined' }
  | { readonly state: 'found'; readonly object: Unstructured }
  /** `isMissing`: the API server knows no such object. `isAsked`: the error is the answer to the read of the object. */
  | { readonly state: 'failed'; readonly isMissing: boolean; readonly isAsked: boolean; readonly problem: string };

export async function readObject(ref: ContractReference, namespace: string, ask: Reads): Promise<ProviderRead> {
  const contract = await readContract(ref, ask);
  if (contract === undefined) {
    return { state: 'undefined' };
  }
  if (!contract.ok) {
    return { state: 'failed', isMissing: false, isAsked: false, problem: contract.error };
  }
  const { apiGroup, kind, name } = ref;
  const answer = await ask.get({ apiVersion: `${apiGroup}/${contract.value.version}`, kind, namespace, name });
  return answer.ok
    ? { state: 'found', object: answer.value }
    : { state: 'failed', isMissing: answer.missing, isAsked: true, problem: answer.failure.message };
}

/** Returns reads that ask for the metadata of each object once. */
export function rememberingMetadata(ask: Reads): Reads {
  const known = new Map<string, Promise<Answer<ObjectMeta>>>();
  return {
    ...ask,
    metadata(ref) {
      const key = JSON.stringify(ref);
      const answer = known.get(key) ?? ask.metadata(ref);
      known.set(key, answer);
      return answer;
    },
  };
}
