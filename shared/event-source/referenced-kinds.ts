// The provider kinds that Clusters name: each is watched from when the first Cluster that names it passes by.
import * as z from 'zod/mini';
import { type Answer, answered, refused } from '../api/answer.ts';
import type { Kind, Unstructured } from '../api/object.ts';
import { chooseContract } from '../contract/contract-version.ts';
import type { Reads } from '../kernel/types.ts';
import { crdNameOf } from '../names/plural.ts';

/** Clusters can name any kind; more than these are refused, because each costs a watch. */
export const mostReferencedKinds = 100;

export type KindName = Pick<Kind, 'group' | 'kind'>;

const reference = z.object({
  apiGroup: z.string().check(z.minLength(1)),
  kind: z.string().check(z.minLength(1)),
});

/** The kinds that the Cluster's references name; what is not a reference is left out. */
export function referencedKindsOf(cluster: Unstructured): readonly KindName[] {
  const { infrastructureRef, controlPlaneRef } = z.record(z.string(), z.unknown()).safeParse(cluster.spec).data ?? {};
  return [infrastructureRef, controlPlaneRef].flatMap(ref => {
    const parsed = reference.safeParse(ref);
    return parsed.success ? [{ group: parsed.data.apiGroup, kind: parsed.data.kind }] : [];
  });
}

/** The kind in the version that the labels of its CRD name. A failure says what was asked and what came back. */
export async function locateProviderKind(reads: Pick<Reads, 'metadata'>, of: KindName): Promise<Answer<Kind>> {
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
