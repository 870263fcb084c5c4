// The provider kinds that Clusters reference. Each kind is watched after an event of a Cluster references it.

import {
  type Answer,
  answered,
  crdNameOf,
  type Kind,
  type Reads,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import { readClusterReferences } from '../api/cluster/reader.ts';

/** The maximum number of referenced kinds, because each one needs a watch. Further kinds are refused. */
export const mostReferencedKinds = 100;

export type GroupKind = Pick<Kind, 'group' | 'kind'>;

/** The kinds that the Cluster references. Invalid references are ignored. */
export function referencedKindsOf(cluster: Unstructured): readonly GroupKind[] {
  const { infrastructureRef, controlPlaneRef } = readClusterReferences(cluster);
  return [infrastructureRef, controlPlaneRef]
    .filter(({ apiGroup, kind }) => apiGroup !== '' && kind !== '')
    .map(({ apiGroup: group, kind }) => ({ group, kind }));
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
