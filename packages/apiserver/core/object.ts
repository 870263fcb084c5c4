// The types of stored objects and of drafts.
import { type ObjectMeta, toApiVersion, type Unstructured } from '@capi-serverless/apimachinery';
import { deepFreeze } from './json.ts';

export interface Metadata extends ObjectMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly object[];
}

/** Managed fields in the form of the API. Undefined if ownership is not tracked. */
export type ManagedFields = Metadata['managedFields'] | undefined;

/** Deep-frozen in the store, so it can be returned without a copy. */
export interface Stored extends Unstructured {
  readonly metadata: Metadata;
}

/** A decoded request body. Only its types are checked. */
export interface ObjectDraft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<Metadata>;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** Returns the object in the given version. Without conversion, only `apiVersion` changes. */
export function inVersion(object: Stored, of: { readonly group: string; readonly version: string }): Stored {
  const apiVersion = toApiVersion(of);
  return object.apiVersion === apiVersion ? object : deepFreeze({ ...object, apiVersion });
}

export function withMetadata<T extends Stored>(object: T, change: Partial<Metadata>): T {
  return { ...object, metadata: { ...object.metadata, ...change } };
}

/** Returns the object with other managed fields. */
export function withManagedFields<T extends ObjectDraft>(object: T, managedFields: ManagedFields): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: managedFields === undefined || managedFields.length === 0 ? metadata : { ...metadata, managedFields },
  };
}

export function finalizersOf(object: { readonly metadata: Partial<Metadata> }): readonly string[] {
  return object.metadata.finalizers ?? [];
}
