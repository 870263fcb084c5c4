// Reads an object of a provider that a core object references. A failed read is data.
import { crdNameOf, type Name, type Reads } from '@capi-serverless/apimachinery';
import type { ContractReference } from '../api/cluster/reader.ts';
import { type Referred, toServed } from './referred.ts';

/** Returns `undefined` without reference. */
export async function readReferred(
  reads: Reads,
  { namespace }: Pick<Name, 'namespace'>,
  ref: ContractReference | undefined,
): Promise<Referred | undefined> {
  if (ref === undefined) {
    return undefined;
  }
  const { kind, name } = ref;
  const crd = await reads.metadata({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: crdNameOf({ group: ref.apiGroup, kind }),
  });
  const served = toServed(ref, crd);
  if (served.state !== 'served') {
    return { kind, name, ...served };
  }
  const answer = await reads.get({ apiVersion: served.apiVersion, kind, namespace, name });
  if (answer.ok) {
    return { kind, name, state: 'found', object: answer.value };
  }
  const error = `${kind} ${namespace}/${name} cannot be read: ${answer.failure.message}`;
  return answer.missing ? { kind, name, state: 'missing' } : { kind, name, state: 'unreadable', error };
}
