// Field ownership after a write, derived from the kind and the request.
import { groupOf, type JsonObject, toApiVersion, versionOf } from '@capi-serverless/apimachinery';
import { type AppliedIntent, applyIntent } from './apply/apply-intent.ts';
import { builtInType } from './apply/built-in-types.ts';
import type { OptionalFieldSet } from './apply/field-set.ts';
import { entriesOf, sameButTimes } from './apply/managed-fields.ts';
import { type MergeType, toMergeType } from './apply/merge-type.ts';
import { trackUpdate } from './apply/track-update.ts';
import { resetByMain, resetByStatus, type Write } from './apply/write.ts';
import { type Context, servedAt } from './context.ts';
import { type ResourceEndpoint, type Subresource, storageOf } from './kinds.ts';
import { appliedByClient, kubectl, withLastApplied } from './kubectl-apply.ts';
import type { ManagedFields, ObjectDraft, Stored } from './object.ts';
import { applyConflict, StatusError } from './status.ts';

interface OwnedWrite {
  /** The stored object. Undefined for a create. */
  readonly live?: Stored;
  /** The object of the client in the stored form, with the managed fields of the request. */
  readonly draft: ObjectDraft;
  readonly subresource?: Subresource | undefined;
}

/** Returns the managed fields after a create, an update or a patch. */
export function ownedByWrite(
  context: Context,
  endpoint: ResourceEndpoint,
  { live, draft, subresource }: OwnedWrite,
): ManagedFields {
  const updated = inRequestShape(endpoint, draft);
  return trackUpdate({
    ...writeOf(context, endpoint, { live, subresource }),
    updated,
    sent: draft.metadata.managedFields,
  });
}

interface OwnedApply {
  readonly live?: Stored;
  readonly intent: JsonObject;
  readonly force: boolean;
  readonly subresource?: Subresource | undefined;
}

/**
 * Returns the object with the intent before defaults, and its managed fields. Throws Conflict, or 500 if the intent
 * does not match the schema.
 */
export function ownedByApply(
  context: Context,
  endpoint: ResourceEndpoint,
  { live, intent, force, subresource }: OwnedApply,
): { readonly object: JsonObject; readonly managedFields: ManagedFields } {
  const write = writeOf(context, endpoint, { live, subresource });
  const applied = applyAs(write, { intent, force });
  switch (applied.kind) {
    case 'applied':
      return write.manager === kubectl ? { ...applied, object: withLastApplied(applied.object, intent) } : applied;
    case 'conflicts':
      throw applyConflict(applied.conflicts);
    case 'misfit':
      // kube-apiserver also fails without a reason in this case.
      throw new StatusError(500, '', `failed to create typed patch object: ${applied.problems.join(', ')}`);
  }
}

/** kubectl becomes the owner of the fields of its client-side apply. */
function applyAs(write: Write, { intent, force }: Pick<OwnedApply, 'intent' | 'force'>): AppliedIntent {
  const applied = applyIntent({ ...write, intent, force });
  const { live, manager, typeOf, apiVersion } = write;
  const type = typeOf(apiVersion);
  if (applied.kind !== 'conflicts' || manager !== kubectl || live === undefined || type === undefined) {
    return applied;
  }
  const own = appliedByClient(live, type);
  const conflicts = applied.conflicts.filter(({ field }) => !own.has(field));
  return conflicts.length === 0 ? applyIntent({ ...write, intent, force: true }) : { kind: 'conflicts', conflicts };
}

/** Returns the object with the times of `live` if its managed fields differ in nothing else. */
export function withTimesOf(live: Stored, object: Stored): Stored {
  const [before, after] = [entriesOf(live), entriesOf(object)];
  return before !== after && before.length > 0 && sameButTimes(before, after)
    ? { ...object, metadata: { ...object.metadata, managedFields: before } }
    : object;
}

function writeOf(
  context: Context,
  endpoint: ResourceEndpoint,
  { live, subresource }: Pick<OwnedWrite, 'subresource'> & { readonly live: Stored | undefined },
): Write {
  const { resource, version } = endpoint;
  const apiVersion = toApiVersion({ group: resource.group, version: version.name });
  const builtIn = resource.custom ? undefined : builtInType(apiVersion, resource.kind);
  return {
    apiVersion,
    typeOf: each => mergeTypeOf(endpoint, each),
    live: live === undefined ? undefined : servedAt(endpoint, live),
    manager: context.write?.manager ?? 'unknown',
    subresource: subresource ?? '',
    reset: resetBy(endpoint, subresource),
    ...(builtIn === undefined ? {} : { zero: builtIn.zero }),
    now: context.now(),
  };
}

/**
 * Entries in another group's form of the same object are compared by the members of both forms. Entries in a converted
 * version have no type, so they are dropped.
 */
function mergeTypeOf(endpoint: ResourceEndpoint, apiVersion: string): MergeType | undefined {
  const resources = [endpoint.resource, storageOf(endpoint).resource];
  const resource = resources.find(({ group }) => group === groupOf(apiVersion));
  const version = resource?.versions.find(({ name }) => name === versionOf(apiVersion));
  if (resource === undefined || version === undefined || version.convertedFrom !== undefined) {
    return undefined;
  }
  return resource.custom ? toMergeType(version.openApi) : builtInType(apiVersion, resource.kind)?.type;
}

/** Returns the fields that a write to this resource does not change. */
function resetBy({ version }: ResourceEndpoint, subresource: Subresource | undefined): OptionalFieldSet {
  if (subresource === 'status') {
    return resetByStatus;
  }
  return version.status ? resetByMain : undefined;
}

function inRequestShape({ resource }: ResourceEndpoint, draft: ObjectDraft): JsonObject {
  // True: only members are renamed, regardless of other members of the object.
  return resource.storedAs?.toServed(draft as Stored) ?? draft;
}
