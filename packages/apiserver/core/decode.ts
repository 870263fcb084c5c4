// Converts a request body to a draft. Metadata is decoded as ObjectMeta: unknown and empty members are dropped, and
// wrong types are refused. Other members are kept unchanged.
import { isJsonObject, type JsonObject, toApiVersion } from '@capi-serverless/apimachinery';
import { decodeMetadata, type OnUnknown } from './decode-metadata.ts';
import { toJson } from './json.ts';
import type { ResourceEndpoint, TypedObject } from './kinds.ts';
import type { ObjectDraft } from './object.ts';
import { badRequest, invalidObject } from './status.ts';

/** Reports unknown metadata members. Throws BadRequest on a malformed object, Invalid on a wrong name of a custom kind. */
export function decodeObject(raw: unknown, endpoint: ResourceEndpoint, onUnknown: OnUnknown = () => {}): ObjectDraft {
  const present = Object.entries(decodeTyped(raw, endpoint)).filter(([, value]) => value !== null);
  return toDraft(Object.fromEntries(present), endpoint, onUnknown);
}

/** Returns the body as it is. Throws as `decodeObject` does if it is no object of the version and kind of the endpoint. */
export function decodeTyped(raw: unknown, endpoint: ResourceEndpoint): TypedObject {
  const body = toJson(raw);
  if (!isJsonObject(body)) {
    throw badRequest('the body of the request is not an object');
  }
  checkType(body, endpoint);
  // True: the version and the kind were checked.
  return body as TypedObject;
}

/** Decodes an object of the correct kind. Null members are kept for the validation. */
export function decodeMerged(object: JsonObject, endpoint: ResourceEndpoint): ObjectDraft {
  return toDraft(object, endpoint, () => {});
}

function toDraft(body: JsonObject, endpoint: ResourceEndpoint, onUnknown: OnUnknown): ObjectDraft {
  return {
    ...body,
    apiVersion: toApiVersion({ group: endpoint.resource.group, version: endpoint.version.name }),
    kind: endpoint.resource.kind,
    metadata: decodeMetadata(body['metadata'], onUnknown),
  };
}

function checkType(body: JsonObject, endpoint: ResourceEndpoint): void {
  const { resource, version } = endpoint;
  const expected = toApiVersion({ group: resource.group, version: version.name });
  const apiVersion = body['apiVersion'];
  const kind = body['kind'];
  if (typeof kind !== 'string' || kind === '') {
    throw badRequest(`Object 'Kind' is missing in a ${resource.kind}`);
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw badRequest(`Object 'apiVersion' is missing in a ${resource.kind}`);
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (kind === resource.kind) {
    return;
  }
  if (!resource.custom) {
    throw badRequest(`${kind} in version "${version.name}" cannot be handled as a ${resource.kind}`);
  }
  const message = `Invalid value: "${kind}": must be ${resource.kind}`;
  throw invalidObject(resource, nameIn(body), [{ reason: 'FieldValueInvalid', field: 'kind', message }]);
}

function nameIn(body: JsonObject): string {
  const metadata = body['metadata'];
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}
