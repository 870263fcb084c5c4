// Versions of a kind that a program converts, as a conversion webhook does. Such a version has no schema of its own: its
// objects are defaulted, validated and admitted in the storage version.
import { type Checked, isJsonObject, type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { definitions } from './built-in-kinds.ts';
import { type Context, liveAt, servedAt } from './context.ts';
import { decodeTyped } from './decode.ts';
import { deepFreeze } from './json.ts';
import type { Address, Resource, ResourceEndpoint, ServedVersion, TypedObject } from './kinds.ts';
import type { Stored } from './object.ts';
import { badRequest, internalError } from './status.ts';
import { applyPatch } from './update.ts';
import type { ApiWriter } from './writer.ts';

/** Returns the resource with its converted versions. Versions of the definition have precedence. */
export function withConvertedVersions({ conversion, store }: Context, resource: Resource): Resource {
  const storage = resource.versions.find(({ name }) => name === resource.storageVersion);
  if (conversion === undefined || storage === undefined) {
    return resource;
  }
  const labelsOf = (name: string) => store.get(definitions, '', name)?.metadata.labels;
  const added = conversion
    .versionsOf(resource)
    .filter(({ name }) => !resource.versions.some(version => version.name === name))
    .map(
      (version): ServedVersion => ({
        ...version,
        status: storage.status,
        convertedFrom: {
          endpoint: { resource, version: storage },
          toServed: object => toServed(conversion.convert(object, version.name, labelsOf), version.name, object),
          toStored: object => toBody(conversion.convert(object, storage.name, labelsOf), version.name, object),
          unknownFields: object => conversion.unknownFields(object),
        },
      }),
    );
  return { ...resource, versions: [...resource.versions, ...added] };
}

function toServed(converted: Checked<JsonObject>, version: string, { kind }: TypedObject): Stored {
  if (!converted.ok) {
    throw internalError(`conversion of ${kind} to version "${version}" failed: ${converted.error}`);
  }
  return deepFreeze(converted.value as Stored); // true: a stored object was converted
}

function toBody(converted: Checked<JsonObject>, version: string, { kind }: TypedObject): JsonObject {
  if (!converted.ok) {
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${converted.error}`);
  }
  return converted.value;
}

/** Returns a writer that also accepts objects of converted versions. `writerOf` returns the writer of other versions. */
export function convertingWriter(context: Context, writerOf: (context: Context) => ApiWriter): ApiWriter {
  const plain = writerOf(context);
  const storing = ({ unknown }: ReadBody): ApiWriter =>
    unknown.length === 0 ? plain : writerOf(withUnknown(context, unknown));
  const replace = (address: Address, body: unknown, subresource: 'status' | undefined): Stored => {
    const read = readBody(address.endpoint, body);
    return shown(address.endpoint, storing(read).update(storageAddress(address), read.body, subresource));
  };
  return {
    ...plain,
    create(endpoint, namespace, body) {
      const read = readBody(endpoint, body);
      return shown(endpoint, storing(read).create(storageEndpoint(endpoint), namespace, read.body));
    },
    update: (address, body, subresource) =>
      isPlain(address, subresource)
        ? plain.update(address, body, subresource)
        : replace(address, body, subresource === 'status' ? subresource : undefined),
    patch: (address, patch, subresource) =>
      isPlain(address, subresource)
        ? plain.patch(address, patch, subresource)
        : replace(
            address,
            applyPatch(servedAt(address.endpoint, liveAt(context, address)), patch),
            subresource === 'status' ? subresource : undefined,
          ),
    apply(address, apply, subresource) {
      const read = readIntent(address.endpoint, apply.body);
      const applied = storing(read).apply(storageAddress(address), { ...apply, body: read.body }, subresource);
      return { object: shown(address.endpoint, applied.object), created: applied.created };
    },
    delete(address, options) {
      const { gone, object } = plain.delete(storageAddress(address), options);
      return { gone, object: shown(address.endpoint, object) };
    },
  };
}

/** The unknown fields of a converted body are reported with those that its conversion has. */
function withUnknown(context: Context, unknown: readonly string[]): Context {
  const onUnknown = (paths: readonly string[]): void => context.write?.onUnknown?.([...unknown, ...paths]);
  return { ...context, write: { ...context.write, onUnknown } };
}

/** Converted versions have no scale. */
function isPlain({ endpoint }: Address, subresource: string | undefined): boolean {
  return endpoint.version.convertedFrom === undefined || subresource === 'scale';
}

function storageEndpoint(endpoint: ResourceEndpoint): ResourceEndpoint {
  return endpoint.version.convertedFrom?.endpoint ?? endpoint;
}

function storageAddress(address: Address): Address {
  return { ...address, endpoint: storageEndpoint(address.endpoint) };
}

function shown({ version }: ResourceEndpoint, object: Stored): Stored {
  return version.convertedFrom?.toServed(object) ?? object;
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
function readIntent(endpoint: ResourceEndpoint, body: unknown): ReadBody {
  const { convertedFrom } = endpoint.version;
  const { body: stored, unknown } = readBody(endpoint, body);
  if (convertedFrom === undefined || !isJsonObject(stored)) {
    return { body: stored, unknown };
  }
  const { apiVersion, kind, metadata } = decodeTyped(body, endpoint);
  const own = withoutCommon(stored, convertedFrom.toStored({ apiVersion, kind, metadata }));
  return { body: { ...own, apiVersion: stored['apiVersion'], kind, metadata: stored['metadata'] }, unknown };
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
