// PUT, merge patch and JSON patch of the main resource and of /status: all writes that replace a stored object.
import { isJsonObject, type JsonObject, sameJson, withoutUndefined } from '@capi-serverless/apimachinery';
import {
  applyMergePatch,
  JsonDocument,
  PatchError,
  perform,
  readOperation,
} from '@capi-serverless/apimachinery/json-patch';
import { admitWrite, mutateWrite } from './admit-write.ts';
import {
  around,
  type Context,
  completed,
  forStorage,
  liveAt,
  put,
  remove,
  reportUnknown,
  servedAt,
} from './context.ts';
import { decodeObject } from './decode.ts';
import { checkDepth } from './depth.ts';
import { isHeld } from './held.ts';
import { toJson, without } from './json.ts';
import { type Address, type ResourceEndpoint, type Subresource, storageOf } from './kinds.ts';
import { problemsOfMetadata, warningsOf } from './metadata.ts';
import { type Metadata, type ObjectDraft, type Stored, withManagedFields } from './object.ts';
import { ownedByWrite, withTimesOf } from './ownership.ts';
import { badRequest, conflict, invalidObject, notFound, unprocessable, versionRequired } from './status.ts';
import { applyStrategicMerge, type ListStrategies } from './strategic-merge.ts';
import { checkTypedBody } from './typed-body.ts';

/** The maximum length of a JSON patch in kube-apiserver. */
const maxOperations = 10_000;

export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: unknown }
  | { readonly type: 'strategic'; readonly body: unknown; readonly lists: ListStrategies };

/** Replaces the object with the body and returns the stored object. */
export function updateObject(context: Context, address: Address, body: unknown, subresource?: Subresource): Stored {
  checkSubresource(address, subresource);
  const draft = reportUnknown(context, onUnknown => readDraft(address.endpoint, body, onUnknown));
  checkTypedBody(address.endpoint, draft);
  checkAddress(address, draft.metadata);
  const live = liveAt(context, address);
  const { uid } = draft.metadata;
  checkVersion(address, draft, live);
  if (uid !== undefined && uid !== live.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(address.endpoint.resource, address.name, why);
  }
  return replaceObject(context, address, written(context, address, { live, draft, subresource }));
}

/** Applies the patch to the object and returns the stored object. */
export function patchObject(context: Context, address: Address, patch: Patch, subresource?: Subresource): Stored {
  checkSubresource(address, subresource);
  const live = liveAt(context, address);
  const { endpoint, name } = address;
  const patched = applyPatch(servedAt(endpoint, live), patch);
  checkDepth(patched);
  checkPatchedType(endpoint, patched, name);
  const draft = reportUnknown(context, onUnknown => readDraft(endpoint, patched, onUnknown));
  checkTypedBody(endpoint, draft, true);
  checkAddress(address, draft.metadata);
  checkVersion(address, draft, live);
  return replaceObject(context, address, written(context, address, { live, draft, subresource }));
}

interface Write {
  readonly live: Stored;
  readonly draft: ObjectDraft;
  readonly subresource: Subresource | undefined;
}

/** The object of the client, and the managed fields after the write. */
function written(context: Context, { endpoint }: Address, { live, draft, subresource }: Write): Replacement {
  const meant = completed(endpoint, keepIdentity(draft, live));
  const managedFields = ownedByWrite(context, endpoint, { live, draft: meant, subresource });
  return { live, draft: withManagedFields(meant, managedFields), subresource };
}

/** Returns the body in the form of its schema. */
export function readDraft(endpoint: ResourceEndpoint, body: unknown, onUnknown: (path: string) => void): ObjectDraft {
  const draft = decodeObject(body, endpoint, onUnknown);
  return endpoint.version.schema?.shape(draft, onUnknown) ?? draft;
}

/** A missing uid or namespace is added, and deletionTimestamp is kept. Other values are passed to the validation. */
export function keepIdentity(draft: ObjectDraft, live: Stored): ObjectDraft {
  const { uid = live.metadata.uid } = draft.metadata;
  const { deletionTimestamp = draft.metadata.deletionTimestamp } = live.metadata;
  const { namespace } = live.metadata;
  const metadata = {
    ...draft.metadata,
    uid,
    ...withoutUndefined({ namespace, deletionTimestamp }),
  };
  return { ...draft, metadata };
}

export function checkSubresource({ endpoint, name }: Address, subresource: Subresource | undefined): void {
  const exists = { status: endpoint.version.status, scale: endpoint.version.scale !== undefined };
  if (subresource !== undefined && !exists[subresource]) {
    throw notFound(endpoint.resource, name);
  }
}

export function checkAddress({ namespace, name }: Address, metadata: Partial<Metadata>): void {
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${name})`);
  }
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** A write without a resourceVersion is refused unless the kind allows unconditional updates. */
export function checkVersion({ endpoint, name }: Address, { metadata }: ObjectDraft, live: Stored): void {
  const { resource } = endpoint;
  const { resourceVersion = '0' } = metadata;
  if (resourceVersion === '0' && !resource.unconditionalUpdate) {
    throw versionRequired(resource, name);
  }
  if (resourceVersion !== '0' && resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(resource, name);
  }
}

export function applyPatch(live: Stored, patch: Patch): unknown {
  if (patch.type === 'merge') {
    if (!isJsonObject(patch.body)) {
      throw badRequest('error decoding patch: a merge patch is an object');
    }
    return applyMergePatch(live, patch.body);
  }
  if (patch.type === 'strategic') {
    return applyStrategicMerge(live, patch.body, patch.lists);
  }
  if (!Array.isArray(patch.body)) {
    throw badRequest('error decoding patch: a JSON patch is a list of operations');
  }
  if (patch.body.length > maxOperations) {
    throw badRequest(`the allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.body.length}`);
  }
  try {
    return applyJsonPatch(live, patch.body);
  } catch (error) {
    if (error instanceof PatchError) {
      throw unprocessable(`the server rejected our request due to an error in our request: ${error.message}`);
    }
    throw error;
  }
}

/** A patch that changes kind or version is Invalid. A PUT with this body is BadRequest. */
export function checkPatchedType(endpoint: ResourceEndpoint, patched: unknown, name: string): void {
  const before = { apiVersion: shownApiVersion(endpoint), kind: endpoint.resource.kind };
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = isJsonObject(patched) ? patched[member] : undefined;
    if (isJsonObject(patched) && value !== before[member]) {
      const message = `Invalid value: ${JSON.stringify(value ?? '')}: must be ${before[member]}`;
      throw invalidObject(endpoint.resource, name, [{ reason: 'FieldValueInvalid', field: member, message }]);
    }
  }
}

function shownApiVersion({ resource, version }: ResourceEndpoint): string {
  return resource.group === '' ? version.name : `${resource.group}/${version.name}`;
}

interface Replacement {
  readonly live: Stored;
  /**
   * The object in the stored form, with its managed fields. The uid and deletionTimestamp come from the request, or
   * else from the live object.
   */
  readonly draft: ObjectDraft;
  readonly subresource: Subresource | undefined;
}

/** Replaces the live object with the draft, within the limits of the resource. Returns the stored object. */
export function replaceObject(context: Context, address: Address, replacement: Replacement): Stored {
  const { live, draft, subresource } = replacement;
  const { endpoint } = address;
  const { resource } = endpoint;
  const storage = storageOf(endpoint);
  const next =
    subresource === 'status' ? withStatusOf(draft, live, endpoint) : toMainDraft(context, address, replacement);
  const problems = [
    ...problemsOfMetadata(next, resource, live),
    ...(storage.version.schema?.problems(next, {
      live: servedAt(storage, live),
      only: subresource === 'status' ? subresource : undefined,
    }) ?? []),
    ...(resource.strategy.validate?.(next, live, around(context, resource, address)) ?? []),
  ];
  if (problems.length > 0) {
    throw invalidObject(storage.resource, address.name, problems);
  }
  const admitted =
    subresource === undefined
      ? admitWrite(context, { operation: 'UPDATE', resource, name: address.name, object: next, old: live })
      : undefined;
  for (const text of warningsOf(next, resource, live)) {
    context.write?.onWarning?.(text);
  }
  const object = withServerMetadata(admitted ?? next, live, {
    counts: resource.countsGeneration && subresource !== 'status',
  });
  if (sameJson(without(withTimesOf(live, object), 'apiVersion'), without(live, 'apiVersion'))) {
    return servedAt(endpoint, live);
  }
  if (live.metadata.deletionTimestamp !== undefined && !isHeld(resource, object)) {
    remove(context, resource, live);
    return servedAt(endpoint, object);
  }
  return servedAt(endpoint, put(context, resource, forStorage(endpoint, object)));
}

/** A status write changes only the status. */
function withStatusOf(draft: ObjectDraft, live: Stored, endpoint: ResourceEndpoint): ObjectDraft {
  const { apiVersion, kind, metadata, ...members } = servedAt(endpoint, live);
  const base: ObjectDraft = { ...without(members, 'status'), apiVersion, kind, metadata };
  const owned = withManagedFields(base, draft.metadata.managedFields);
  return draft.status === undefined ? owned : { ...owned, status: draft.status };
}

function toMainDraft(context: Context, address: Address, { live, draft }: Replacement): ObjectDraft {
  const { resource, version } = address.endpoint;
  const { apiVersion, kind, metadata } = draft;
  const stateless: ObjectDraft = { ...without(draft, 'status'), apiVersion, kind, metadata };
  const own = version.status && live.status !== undefined ? { ...stateless, status: live.status } : stateless;
  const main = version.status ? own : draft;
  const prepared = resource.strategy.prepare?.(main, live, around(context, resource, address)) ?? main;
  return mutateWrite(context, { operation: 'UPDATE', resource, name: address.name, object: prepared, old: live });
}

/**
 * Copies fields that only the server sets from the live object. The generation increases with changes outside metadata.
 */
function withServerMetadata(draft: ObjectDraft, live: Stored, { counts }: { readonly counts: boolean }): Stored {
  const changed = !sameJson(without(draft, 'apiVersion', 'metadata'), without(live, 'apiVersion', 'metadata'));
  const members = [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const;
  const kept = members.flatMap(member =>
    live.metadata[member] === undefined ? [] : [[member, live.metadata[member]]],
  );
  const generation = counts && changed ? { generation: (live.metadata.generation ?? 0) + 1 } : {};
  // True: live has every member that stored metadata requires.
  const metadata = { ...without(draft.metadata, ...members), ...Object.fromEntries(kept), ...generation } as Metadata;
  return { ...draft, metadata };
}

/** kube-apiserver limits the total size of all copies of one patch. */
const maxCopiedBytes = 3 * 1024 * 1024;

class StoredDocument extends JsonDocument {
  #copiedBytes = 0;

  override copyOf(value: unknown): unknown {
    this.#copiedBytes += JSON.stringify(value).length;
    if (this.#copiedBytes > maxCopiedBytes) {
      throw new PatchError(`copies more than ${maxCopiedBytes} bytes`);
    }
    return super.copyOf(value);
  }
}

/**
 * Returns the target after all operations. No argument is changed. Throws PatchError with the operation and the
 * problem.
 */
export function applyJsonPatch(target: JsonObject, operations: readonly unknown[]): JsonObject {
  const document = new StoredDocument(target);
  for (const [index, raw] of operations.entries()) {
    const operation = readOperation(toJson(raw));
    if (!operation.ok) {
      throw new PatchError(`operation ${index}: ${operation.error}`);
    }
    try {
      perform(document, operation.value);
    } catch (error) {
      throw error instanceof PatchError ? new PatchError(`operation ${index}: ${error.message}`) : error;
    }
  }
  return document.share();
}
