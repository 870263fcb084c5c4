// Versions of a kind that a program converts, as a conversion webhook does. Objects of such a version are defaulted,
// validated and admitted in the storage version.
import { type Checked, type JsonObject, memberOf, toApiVersion, withoutUndefined } from '@capi-serverless/apimachinery';
import { definitions } from './built-in-kinds.ts';
import type { Context } from './context.ts';
import { toResource } from './definition-strategy.ts';
import { deepFreeze } from './json.ts';
import type { Resource, ResourceEndpoint, ServedVersion, TypedObject } from './kinds.ts';
import type { Stored } from './object.ts';
import { badRequest, internalError } from './status.ts';
import type { ConvertedVersion, VersionConversion } from './version-conversion.ts';

/** Returns the kind that a definition establishes, with its converted versions. */
export function toConvertedResource({ conversion, store }: Context, definition: Stored): Resource {
  const resource = toResource(definition);
  const { versions, storageVersion } = resource;
  const storage = versions.find(({ name }) => name === storageVersion);
  if (conversion === undefined || storage === undefined) {
    return resource;
  }
  const labelsOf = (name: string) => store.get(definitions, '', name)?.metadata.labels;
  const from = { conversion, labelsOf, endpoint: { resource, version: storage } };
  const unserved = unservedIn(definition);
  const converted = conversion
    .versionsOf(resource)
    .filter(({ name }) => !unserved.includes(name))
    .map(version =>
      toConvertedVersion(
        from,
        version,
        versions.find(({ name }) => name === version.name),
      ),
    );
  const others = versions.filter(({ name }) => !converted.some(version => version.name === name));
  return { ...resource, versions: [...others, ...converted] };
}

function unservedIn({ spec }: Stored): readonly unknown[] {
  const versions = memberOf(spec, 'versions');
  return Array.isArray(versions)
    ? versions.filter(version => memberOf(version, 'served') !== true).map(version => memberOf(version, 'name'))
    : [];
}

interface ConvertedFrom {
  readonly conversion: VersionConversion;
  readonly labelsOf: Parameters<VersionConversion['convert']>[2];
  readonly endpoint: ResourceEndpoint;
}

/** A schema in the definition is published, but not used: the program knows the fields of the version. */
function toConvertedVersion(
  { conversion, labelsOf, endpoint }: ConvertedFrom,
  version: ConvertedVersion,
  own: ServedVersion | undefined,
): ServedVersion {
  const { resource, version: storage } = endpoint;
  const { name } = version;
  const typed = { apiVersion: toApiVersion({ group: resource.group, version: name }), kind: resource.kind };
  let published = own?.openApi;
  return {
    ...withoutUndefined({ columns: own?.columns, scale: storage.scale }),
    ...version,
    status: storage.status,
    get openApi() {
      published ??= conversion.schemaOf(typed, storage.openApi);
      return published;
    },
    convertedFrom: {
      endpoint,
      toServed: object => toServed(conversion.convert(object, name, labelsOf), name, object),
      toStored: object => toBody(conversion.convert(object, storage.name, labelsOf), name, object),
      unknownFields: object => conversion.unknownFields(object),
      fieldOf: field => conversion.fieldOf(typed, field),
    },
  };
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
