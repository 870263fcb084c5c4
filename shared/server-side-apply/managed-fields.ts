// The field owners of an object, and the repair of objects without managed fields. Without the repair, server-side
// apply would assign the fields of a manager to another one and never remove them.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import {
  type JsonObject,
  type MergePatch,
  type ObjectRef,
  toRecord,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { listOf, text, textOrEmpty } from '../api/fields.ts';

const entry = z.object({
  manager: textOrEmpty,
  operation: textOrEmpty,
  subresource: text,
  apiVersion: text,
  fieldsV1: z.transform(toRecord),
});

type ManagedFieldsEntry = z.output<typeof entry>;

const metadata = z.object({ managedFields: listOf(entry) });

/** The stored managed fields. Empty if the object was read without them. */
export function managedFieldsOf(object: Unstructured): readonly ManagedFieldsEntry[] {
  return metadata.parse(object.metadata).managedFields;
}

/**
 * Returns true if the manager applied this entry to the object itself. Entries for subresources and updates do not
 * match.
 */
export function isApplyOf(applier: string): (entry: ManagedFieldsEntry) => boolean {
  return ({ manager, operation, subresource }) =>
    manager === applier && operation === 'Apply' && (subresource ?? '') === '';
}

/** One repair. It replaces all managed fields of an object at the version that was read. */
export interface ManagedFieldsRepair {
  readonly ref: ObjectRef;
  readonly resourceVersion: string;
  readonly body: MergePatch;
}

/** The manager that the API server records for fields older than the first apply. */
export const unknownManager = 'before-first-apply';
export const nameOnly: JsonObject = { 'f:metadata': { 'f:name': {} } };

/** Returns the repair of an object. The manager must own a field by apply, and `before-first-apply` must own none. */
export function repairManagedFields(
  object: Unstructured,
  manager: string,
  fieldsV1: JsonObject = nameOnly,
): ManagedFieldsRepair | undefined {
  const stored = rawEntries(object);
  if (stored.length > 0 && !stored.some(entry => entry['manager'] === unknownManager)) {
    return undefined;
  }
  const kept = stored.filter(entry => entry['manager'] !== unknownManager);
  const isOurs = kept.some(entry => entry['manager'] === manager);
  const ours = { manager, operation: 'Apply', ...toFields(object, fieldsV1) };
  return toRepair(object, isOurs ? kept : [...kept, ours]);
}

/** Returns the complete entries with their times. */
export function rawEntries({ metadata }: Unstructured): readonly JsonObject[] {
  const list = toRecord(metadata)['managedFields'];
  return Array.isArray(list) ? list.map(toRecord) : [];
}

export function toFields({ apiVersion }: Unstructured, fieldsV1: JsonObject): JsonObject {
  return { apiVersion, fieldsType: 'FieldsV1', fieldsV1 };
}

export function toRepair(object: Unstructured, managedFields: readonly object[]): ManagedFieldsRepair {
  const { resourceVersion } = object.metadata;
  return { ref: toRef(object), resourceVersion, body: { metadata: { managedFields } } };
}
