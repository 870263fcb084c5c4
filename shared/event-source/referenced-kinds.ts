// The provider kinds that primaries reference. Each kind is watched after an event of a primary references it.

import {
  type Answer,
  answered,
  crdNameOf,
  type GroupKind,
  type Kind,
  type Reads,
  refused,
} from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';

/**
 * The maximum number of defined kinds that the objects of one kind reference, because each one needs a watch. Further
 * kinds are refused. Kinds without a definition have as many places of their own.
 */
export const mostReferencedKinds = 100;

/** The share of a namespace in both, so that the objects of one tenant do not take all places. */
export const mostKindsOfNamespace = 20;

/**
 * Returns whether the answer of `locateProviderKind` shows that no provider defines the kind. Undefined if the answer
 * does not show it.
 */
export function isDefined(located: Answer<unknown>): boolean | undefined {
  if (located.ok) {
    return true;
  }
  const { reason } = located.failure;
  return reason === 'NotFound' || reason === 'Invalid' ? false : undefined;
}

/** Reads the version of the kind from the labels of its CRD. A failure names the request and the response. */
export async function locateProviderKind(reads: Pick<Reads, 'metadata'>, of: GroupKind): Promise<Answer<Kind>> {
  const name = crdNameOf(of);
  const crd = await reads.metadata({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
  if (!crd.ok) {
    return crd;
  }
  const { labels } = crd.value;
  const contract = chooseContract(labels === undefined ? { name } : { name, labels });
  return contract.ok
    ? answered({ ...of, version: contract.value.version, scope: 'Namespaced' })
    : refused({ reason: 'Invalid', message: contract.error });
}
