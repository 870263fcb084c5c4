// The shape of what the core stores and of what it is asked to store.
import { type Instant, type ObjectMeta, toApiVersion, type Unstructured } from '../../../../shared/api/object.ts';
import { deepFreeze } from './json.ts';

export interface Metadata extends ObjectMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly object[];
}

/** Who owns which fields, as the API shows it; undefined where nobody keeps account of it. */
export type ManagedFields = Metadata['managedFields'] | undefined;

/** Deep-frozen once it is in the store, so it can be handed out as it is. */
export interface Stored extends Unstructured {
  readonly metadata: Metadata;
}

/** A decoded request body: the types hold, nothing else is checked yet. */
export interface Draft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<Metadata>;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** The object in the given version. Without conversion only `apiVersion` differs. */
export function inVersion(object: Stored, of: { readonly group: string; readonly version: string }): Stored {
  const apiVersion = toApiVersion(of);
  return object.apiVersion === apiVersion ? object : deepFreeze({ ...object, apiVersion });
}

export function withMetadata<T extends Stored>(object: T, change: Partial<Metadata>): T {
  return { ...object, metadata: { ...object.metadata, ...change } };
}

/** The object with these managed fields instead of its own. */
export function withManagedFields<T extends Draft>(object: T, managedFields: ManagedFields): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: managedFields === undefined || managedFields.length === 0 ? metadata : { ...metadata, managedFields },
  };
}

/** `metav1.Time` on the wire: UTC, whole seconds. */
export function toTimestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

export function finalizersOf(object: { readonly metadata: Partial<Metadata> }): readonly string[] {
  return object.metadata.finalizers ?? [];
}
