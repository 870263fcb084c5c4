// Writes in converted versions: the body is converted to the storage version, and the result to the version of the
// request. Field owners are recorded in the storage version.
import { isJsonObject, type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { type Context, liveAt, servedAt } from './context.ts';
import { decodeTyped } from './decode.ts';
import { checkDepth } from './depth.ts';
import type { Address, ResourceEndpoint, Subresource } from './kinds.ts';
import type { Stored } from './object.ts';
import { invalidObject, StatusError } from './status.ts';
import { applyPatch, checkPatchedType, checkSubresource } from './update.ts';
import type { ApiWriter } from './writer.ts';

/** Returns a writer that also accepts objects of converted versions. `writerOf` returns the writer of other versions. */
export function createConvertingWriter(context: Context, writerOf: (context: Context) => ApiWriter): ApiWriter {
  const plain = writerOf(context);
  const storing = ({ unknown }: ReadBody): ApiWriter =>
    unknown.length === 0 ? plain : writerOf(withUnknown(context, unknown));
  return {
    ...plain,
    create(endpoint, namespace, body) {
      const read = readBody(endpoint, body);
      const store = () => storing(read).create(storageEndpoint(endpoint), namespace, read.body);
      return shown(endpoint, inTermsOf(endpoint, store));
    },
    update(given, body, subresource) {
      const address = addressed(given, subresource);
      const read = readBody(address.endpoint, body);
      const store = () => storing(read).update(storageAddress(address), read.body, subresource);
      return shown(address.endpoint, inTermsOf(address.endpoint, store));
    },
    patch(given, patch, subresource) {
      const address = addressed(given, subresource);
      const { endpoint } = address;
      if (endpoint.version.convertedFrom === undefined) {
        return plain.patch(address, patch, subresource);
      }
      checkSubresource(address, subresource);
      const patched = applyPatch(servedAt(endpoint, liveAt(context, address)), patch);
      checkDepth(patched);
      checkPatchedType(endpoint, patched, address.name);
      const read = readBody(endpoint, patched);
      const store = () => storing(read).update(storageAddress(address), read.body, subresource);
      return shown(endpoint, inTermsOf(endpoint, store));
    },
    apply: (address, apply, subresource) => applyConverted(plain, address, apply, subresource),
    delete(address, options) {
      if (address.endpoint.version.convertedFrom !== undefined) {
        // An object that cannot be returned is not deleted.
        servedAt(address.endpoint, liveAt(context, address));
      }
      const { gone, object } = plain.delete(storageAddress(address), options);
      return { gone, object: shown(address.endpoint, object) };
    },
  };
}

function applyConverted(plain: ApiWriter, ...[address, apply, subresource]: Parameters<ApiWriter['apply']>) {
  const { endpoint } = address;
  const body = readIntent(endpoint, apply.body);
  const store = () => plain.apply(storageAddress(address), { ...apply, body }, subresource);
  const { object, created } = inTermsOf(endpoint, store);
  return { object: shown(endpoint, object), created };
}

/** The unknown fields of a converted body are reported with those that its conversion has. */
function withUnknown(context: Context, unknown: readonly string[]): Context {
  const onUnknown = (paths: readonly string[]): void => context.write?.onUnknown?.([...unknown, ...paths]);
  return { ...context, write: { ...context.write, onUnknown } };
}

/** A Scale is the same in all versions. */
function addressed(address: Address, subresource: Subresource | undefined): Address {
  return subresource === 'scale' ? storageAddress(address) : address;
}

function storageEndpoint(endpoint: ResourceEndpoint): ResourceEndpoint {
  return endpoint.version.convertedFrom?.endpoint ?? endpoint;
}

/** Returns the address of the object in the storage version. */
export function storageAddress(address: Address): Address {
  return { ...address, endpoint: storageEndpoint(address.endpoint) };
}

function shown({ version }: ResourceEndpoint, object: Stored): Stored {
  return version.convertedFrom?.toServed(object) ?? object;
}

/** Errors name the fields of the version of the request. */
function inTermsOf<T>({ resource, version: { convertedFrom } }: ResourceEndpoint, write: () => T): T {
  if (convertedFrom === undefined) {
    return write();
  }
  try {
    return write();
  } catch (thrown) {
    const details =
      thrown instanceof StatusError && thrown.status.reason === 'Invalid' ? thrown.status.details : undefined;
    if (details?.causes === undefined || details.kind !== resource.kind) {
      throw thrown;
    }
    const causes = details.causes.map(cause =>
      cause.field === undefined ? cause : { ...cause, field: convertedFrom.fieldOf(cause.field) },
    );
    throw invalidObject(resource, details.name ?? '', causes);
  }
}

/** A body in the storage version. */
interface ReadBody {
  readonly body: unknown;
  /** The fields that the version of the client does not have. */
  readonly unknown: readonly string[];
}

function readBody(endpoint: ResourceEndpoint, body: unknown): ReadBody {
  const { convertedFrom } = endpoint.version;
  if (convertedFrom === undefined) {
    return { body, unknown: [] };
  }
  const typed = decodeTyped(body, endpoint);
  return { body: convertedFrom.toStored(typed), unknown: convertedFrom.unknownFields(typed) };
}

/** An intent owns only its own fields, and not those that the storage version always has. */
function readIntent(endpoint: ResourceEndpoint, body: unknown): unknown {
  const { convertedFrom } = endpoint.version;
  const { body: stored, unknown } = readBody(endpoint, body);
  if (unknown.length > 0) {
    // An apply with unknown fields is refused in every version, regardless of the field validation.
    const problems = unknown.map(path => `.${path}: field not declared in schema`);
    throw new StatusError(500, '', `failed to create typed patch object: ${problems.join(', ')}`);
  }
  if (convertedFrom === undefined || !isJsonObject(stored)) {
    return stored;
  }
  const { apiVersion, kind, metadata } = decodeTyped(body, endpoint);
  const own = withoutCommon(stored, convertedFrom.toStored({ apiVersion, kind, metadata }));
  return { ...own, apiVersion: stored['apiVersion'], kind, metadata: stored['metadata'] };
}

function withoutCommon(value: JsonObject, empty: JsonObject): JsonObject {
  const own = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const common = empty[key];
    if (isJsonObject(member) && isJsonObject(common)) {
      const rest = withoutCommon(member, common);
      return Object.keys(rest).length === 0 ? [] : [[key, rest]];
    }
    return common !== undefined && sameJson(member, common) ? [] : [[key, member]];
  });
  return Object.fromEntries(own);
}
