// Reads the current objects of a topology: objects that the Cluster references, labelled workers, and objects that the
// workers reference.
import {
  type Checked,
  invalid,
  type ObjectRef,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion, isDefined } from '../../../../shared/api/cluster/reader.ts';
import {
  checkOwned,
  isOfClass,
  type StoredReference,
  toAlignedRef,
  toObjectRef,
} from '../../plan/current/stored-reference.ts';
import type { PassReads } from '../pass-reads.ts';
import { retrieve } from '../retrieve.ts';

/**
 * If group and kind match the class, the version of the class is used. Then both states are compared in one version.
 */
async function alignReference(stored: StoredReference, ask: PassReads): Promise<Checked<ObjectRef>> {
  const { apiGroup, kind } = stored.ref;
  return isOfClass(stored)
    ? valid(toObjectRef(stored, stored.from.apiVersion))
    : toAlignedRef(stored, await ask.definition({ group: apiGroup, kind }));
}

/** Returns the referenced object. */
export async function readReferenced(stored: StoredReference, ask: PassReads): Promise<Checked<Unstructured>> {
  const aligned = await alignReference(stored, ask);
  return aligned.ok ? retrieve(aligned.value, ask) : aligned;
}

/** Returns the object that the Cluster references, or undefined if the reference is not set. */
export async function readFromCluster(
  stored: StoredReference,
  cluster: string,
  ask: PassReads,
): Promise<Checked<Unstructured | undefined>> {
  const { ref, namespace } = stored;
  if (!isDefined(ref)) {
    return valid(undefined);
  }
  const object = await readReferenced(stored, ask);
  const read = prefixed(object, `failed to read ${ref.kind} ${toDisplayName({ namespace, name: ref.name })}`);
  return checkOwned(read, `Cluster ${cluster}`);
}

/** Returns the health check with this name if it exists, regardless of its owner. */
export async function readHealthCheck(
  { metadata }: Unstructured,
  ask: PassReads,
  toProblem: (cause: string) => string,
): Promise<Checked<Unstructured | undefined>> {
  const { namespace, name } = metadata;
  const where = withoutUndefined({ namespace });
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'MachineHealthCheck', ...where, name });
  if (answer.ok) {
    return valid(answer.value);
  }
  return answer.missing ? valid(undefined) : invalid(toProblem(answer.failure.message));
}
