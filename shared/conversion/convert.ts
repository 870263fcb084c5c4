// Converts objects between the versions of a kind, as Cluster API v1.14 does. Nothing is defaulted or validated.
// https://cluster-api.sigs.k8s.io/developer/providers/migrations/v1.10-to-v1.11
import {
  type Checked,
  groupOf,
  invalid,
  isJsonObject,
  memberOf,
  toApiVersion,
  valid,
  versionOf,
} from '@capi-serverless/apimachinery';
import { readAnnotation, withAnnotation } from './annotation.ts';
import { fromClusterLabel, toClusterLabel } from './cluster-label.ts';
import type { Struct } from './codec.ts';
import type { ApiVersionOf } from './conversion.ts';
import { ConversionError } from './conversion-error.ts';
import { convertStruct } from './convert-struct.ts';
import { conversionRules, findConvertible, kindRuleOf, shapesOfKinds, storedVersion } from './kinds.ts';
import { valueAtPath, withoutPath, withPath } from './paths.ts';

/** An object as it was received. Only its version and kind are known to be there. */
export interface ConvertedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: unknown;
  readonly [field: string]: unknown;
}

/**
 * Returns the object in another version of its kind. The error is the text for the user. `apiVersionOf` is called for
 * references of the newer version that lead to an older version.
 */
export function convert<T extends ConvertedObject>(object: T, version: string, apiVersionOf: ApiVersionOf): Checked<T> {
  const group = groupOf(object.apiVersion);
  const known = findConvertible(group, object.kind);
  const from = versionOf(object.apiVersion);
  const wrong = [from, version].find(each => each !== storedVersion && known?.olderVersions.includes(each) !== true);
  if (known === undefined || wrong !== undefined) {
    return invalid(`${object.kind} of ${object.apiVersion} cannot be converted to ${toApiVersion({ group, version })}`);
  }
  try {
    const stored = from === storedVersion ? object : toStored(object, apiVersionOf);
    const converted = version === storedVersion ? stored : toOlder(stored, version, apiVersionOf, from);
    // True: it has the fields of the kind in the other version.
    return valid(converted as T);
  } catch (error) {
    if (error instanceof ConversionError) {
      return invalid(error.message);
    }
    throw error;
  }
}

/** Converts an object of an older version to the stored version. */
function toStored(object: ConvertedObject, apiVersionOf: ApiVersionOf): ConvertedObject {
  const { book, codec } = shapesOfKinds();
  const { kind, apiVersion } = object;
  const names = { from: `${versionOf(apiVersion)}.${kind}`, to: `${storedVersion}.${kind}` };
  const rule = kindRuleOf(versionOf(apiVersion), kind);
  const { metadata, data } =
    rule.hasAnnotation === true ? readAnnotation(object.metadata) : { metadata: object.metadata };
  const restored = data === undefined ? undefined : codec.decode(names.to, data);
  let converted = convertStruct(
    { book, rules: conversionRules, to: 'newer', namespace: namespaceOf(object), apiVersionOf },
    names,
    codec.decode(names.from, object),
    restored,
  );
  for (const path of restored === undefined ? [] : (rule.fromAnnotation ?? [])) {
    converted = restoreField(converted, path.split('.'), restored);
  }
  const always = rule.alwaysNewer?.split('.');
  if (always !== undefined && valueAtPath(converted, always) === undefined) {
    converted = withPath(converted, always, {});
  }
  const labelled =
    rule.hasClusterLabel === true ? fromClusterLabel(converted, metadata) : { spec: converted['spec'], metadata };
  return write(object, storedVersion, { ...converted, ...withSpec(labelled.spec) }, labelled.metadata);
}

function withSpec(spec: unknown): { readonly spec?: unknown } {
  return spec === undefined ? {} : { spec };
}

/** The annotation has precedence, also if it has no value. */
function restoreField(converted: Struct, path: readonly string[], restored: unknown): Struct {
  const value = valueAtPath(restored, path);
  return value === undefined ? withoutPath(converted, path) : withPath(converted, path, value);
}

/** Converts an object of the stored version to an older version. */
function toOlder(
  object: ConvertedObject,
  version: string,
  apiVersionOf: ApiVersionOf,
  origin: string,
): ConvertedObject {
  const { book, codec } = shapesOfKinds();
  const { kind } = object;
  const rule = kindRuleOf(version, kind);
  const name = `${storedVersion}.${kind}`;
  const decoded = codec.decode(name, object);
  const converted = convertStruct(
    { book, rules: conversionRules, to: 'older', namespace: namespaceOf(object), apiVersionOf },
    { from: name, to: `${version}.${kind}` },
    decoded,
    undefined,
  );
  const labelled = rule.hasClusterLabel === true ? toClusterLabel(decoded, object.metadata) : object.metadata;
  const { metadata: _, ...written } = codec.encode(name, decoded);
  const { kind: __, apiVersion: ___, ...fields } = written;
  // Between two older versions, the text has no kind and no version.
  const data = origin === storedVersion ? written : fields;
  const metadata = rule.hasAnnotation === true ? withAnnotation(labelled, data) : labelled;
  return write(object, version, converted, metadata);
}

function write(object: ConvertedObject, version: string, struct: Struct, metadata: unknown): ConvertedObject {
  const { kind } = object;
  const apiVersion = toApiVersion({ group: groupOf(object.apiVersion), version });
  const { codec } = shapesOfKinds();
  const { kind: _, apiVersion: __, metadata: ___, ...fields } = codec.encode(`${version}.${kind}`, struct);
  return { apiVersion, kind, metadata: isJsonObject(metadata) ? metadata : {}, ...fields };
}

function namespaceOf({ metadata }: ConvertedObject): string | undefined {
  const namespace = memberOf(metadata, 'namespace');
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
}

/** For conversions to the stored version. Its references have no API version. */
export const noApiVersion: ApiVersionOf = () => invalid('no API version is known');
