// Reads the objects that a Cluster references and the objects with its label, once.

import {
  type Answer,
  answered,
  crdNameOf,
  type Name,
  type Reads,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type ContractReference, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import {
  type ClusterSnapshot,
  type MemberKind,
  memberKinds,
  type Referred,
  referencesOf,
  toMembers,
  toServed,
} from './snapshot.ts';

/** Rejects if a list cannot be read. A failed read of a reference is returned as data. */
export async function readSnapshot(reads: Reads, cluster: Unstructured): Promise<Answer<ClusterSnapshot>> {
  const { name, namespace = '' } = cluster.metadata;
  const of = { namespace, name };
  const references = referencesOf(cluster);
  const [infrastructure, controlPlane, ...lists] = await Promise.all([
    readReferred(reads, of, references.infrastructure),
    readReferred(reads, of, references.controlPlane),
    ...memberKinds.map(kind => readMembers(reads, of, kind)),
  ]);
  const members = new Map<MemberKind, readonly Unstructured[]>();
  for (const [index, kind] of memberKinds.entries()) {
    const list = lists[index];
    if (list?.ok === false) {
      return list;
    }
    members.set(kind, list?.value ?? []);
  }
  return answered({
    cluster,
    infrastructure,
    controlPlane,
    ...toMembers(kind => members.get(kind) ?? []),
  });
}

/** If the API server does not serve the kind, it has no objects of this kind. */
async function readMembers(
  reads: Reads,
  { namespace, name }: Name,
  kind: string,
): Promise<Answer<readonly Unstructured[]>> {
  const labels = { [clusterNameLabel]: name };
  const answer = await reads.list({ apiVersion: clusterApiVersion, kind, namespace, labels });
  return answer.ok || answer.failure.reason !== 'NotFound' ? answer : answered([]);
}

async function readReferred(
  reads: Reads,
  { namespace }: Name,
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
