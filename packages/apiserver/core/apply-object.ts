// Server-side apply: merges an intent into an object. The manager then owns the fields of the intent.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
import { isJsonObject, type JsonObject, toApiVersion } from '@capi-serverless/apimachinery';
import { type Context, completed } from './context.ts';
import { storeNew } from './create.ts';
import { decodeMerged } from './decode.ts';
import { checkDepth } from './depth.ts';
import { toJson } from './json.ts';
import type { Address, ResourceEndpoint } from './kinds.ts';
import { type ObjectDraft, type Stored, withManagedFields } from './object.ts';
import { ownedByApply } from './ownership.ts';
import { badRequest, conflict, NoSuchRouteError, notFound } from './status.ts';
import { checkTypedBody } from './typed-body.ts';
import { checkAddress, checkSubresource, checkVersion, keepIdentity, replaceObject } from './update.ts';

export interface Apply {
  readonly body: unknown;
  /** Takes ownership of conflicting fields instead of refusing the apply. */
  readonly force: boolean;
}

export interface AppliedObject {
  readonly object: Stored;
  readonly created: boolean;
}

/** Merges the intent into the object or creates the object. Returns the stored object. */
export function applyObject(context: Context, address: Address, apply: Apply, subresource?: 'status'): AppliedObject {
  checkSubresource(address, subresource);
  const { endpoint, namespace, name } = address;
  if (endpoint.resource.namespaced !== (namespace !== '')) {
    throw new NoSuchRouteError();
  }
  const intent = readIntent(endpoint, apply.body);
  const live = context.store.get(endpoint.resource, namespace, name);
  if (live === undefined) {
    if (subresource !== undefined) {
      throw notFound(endpoint.resource, name);
    }
    return { object: create(context, address, { intent, force: apply.force }), created: true };
  }
  const merged = ownedByApply(context, endpoint, { live, intent, force: apply.force, subresource });
  const draft = readMerged(context, endpoint, merged.object);
  checkAddress(address, draft.metadata);
  checkVersion(address, draft, live);
  const meant = withManagedFields(completed(endpoint, keepIdentity(draft, live)), merged.managedFields);
  return { object: replaceObject(context, address, { live, draft: meant, subresource }), created: false };
}

function readIntent({ resource, version }: ResourceEndpoint, body: unknown): JsonObject {
  const intent = toJson(body);
  if (!isJsonObject(intent)) {
    throw badRequest('error decoding YAML: what is applied must be an object');
  }
  checkDepth(intent);
  const { apiVersion = '', kind = '', metadata } = intent;
  if (apiVersion !== toApiVersion({ group: resource.group, version: version.name }) || kind !== resource.kind) {
    throw badRequest(`invalid object type: ${String(apiVersion)}, Kind=${String(kind)}`);
  }
  if (isJsonObject(metadata) && (metadata['managedFields'] ?? null) !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return intent;
}

/** The merged object is decoded like any body. The validation reports null values. */
function readMerged(context: Context, endpoint: ResourceEndpoint, merged: JsonObject): ObjectDraft {
  const decoded = decodeMerged(merged, endpoint);
  const draft = endpoint.version.schema?.shapeApplied(decoded) ?? decoded;
  checkTypedBody(endpoint, draft);
  // A merged intent has no unknown fields, but strict field validation must still refuse duplicates.
  context.write?.onUnknown?.([]);
  return draft;
}

/** If the object does not exist, a resourceVersion in the intent is ignored, but a uid is not. */
function create(
  context: Context,
  address: Address,
  { intent, force }: { readonly intent: JsonObject; readonly force: boolean },
): Stored {
  const { endpoint, namespace, name } = address;
  const merged = ownedByApply(context, endpoint, { intent, force });
  const draft = readMerged(context, endpoint, merged.object);
  const { resourceVersion: _, uid, ...metadata } = draft.metadata;
  if (uid !== undefined) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
    throw conflict(endpoint.resource, name, why);
  }
  if (metadata.name === undefined) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  checkAddress(address, metadata);
  const decoded = { ...draft, metadata };
  return storeNew(context, endpoint, namespace, { decoded, own: () => merged.managedFields });
}
