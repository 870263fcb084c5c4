// Reads an object of a provider: its API version from its CRD, then the object.
import {
  type Answer,
  type Checked,
  crdNameOf,
  invalid,
  type ObjectMeta,
  type Reads,
  toDisplayName,
} from '@capi-serverless/apimachinery';
import { type Contract, chooseContract } from '@capi-serverless/cluster-api/contract';
import { type ContractReference, isDefined } from '../api/cluster/reader.ts';
import type { External } from './external.ts';

interface Named {
  readonly ref: ContractReference;
  readonly namespace: string;
}

/** Sends two requests, one after the other. It does not wait for other reads. */
export async function readReferenced({ ref, namespace }: Named, ask: Reads): Promise<External> {
  const contract = await readContract(ref, ask);
  if (contract === undefined) {
    return { state: 'undefined' };
  }
  if (!contract.ok) {
    return { state: 'unreadable', ref, error: contract.error };
  }
  const { kind, name } = ref;
  const answer = await ask.get({ apiVersion: `${ref.apiGroup}/${contract.value.version}`, kind, namespace, name });
  if (answer.ok) {
    return { state: 'found', ref, object: answer.value, contract: contract.value.contract };
  }
  const error = `failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${answer.failure.message}`;
  return answer.missing ? { state: 'missing', ref } : { state: 'unreadable', ref, error };
}

/** Returns `undefined` if the reference is not set. */
export async function readContract(
  ref: ContractReference,
  ask: Pick<Reads, 'metadata'>,
): Promise<Checked<Contract> | undefined> {
  if (!isDefined(ref)) {
    return undefined;
  }
  const name = crdNameOf({ group: ref.apiGroup, kind: ref.kind });
  const answer = await ask.metadata({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
  return toContract(answer);
}

/** Upstream reads the CRD two or three times per pass. One read is sufficient and always consistent. */
function toContract(crd: Answer<ObjectMeta>): Checked<Contract> {
  return crd.ok
    ? chooseContract(crd.value)
    : invalid(`failed to get object from ref: failed to get CustomResourceDefinition metadata: ${crd.failure.message}`);
}
