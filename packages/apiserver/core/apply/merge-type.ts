// Determines how values of a schema are merged: atomically, by field, by key or as a set.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';

/** The possible forms of a value. There are several if the schema does not determine the form. */
export interface MergeType {
  readonly scalar?: 'string' | 'number' | 'boolean' | 'any';
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  /** Atomic: the list is replaced as a whole. */
  readonly merge: 'atomic' | 'set' | 'map';
  /** The key names for items that are merged by key, and the defaults of keys. */
  readonly keys: readonly string[];
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly items: MergeType;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeType>;
  /** The type of members that are not in `fields`. Absent if such members are not allowed. */
  readonly rest: MergeType | undefined;
}

const noKeys = { keys: [], defaults: new Map<string, unknown>() } as const;

/** Any value, which is atomic. */
const whole: MergeType = {
  scalar: 'any',
  get list() {
    return anyList;
  },
  get map() {
    return anyPiece;
  },
};

const anyList: ListType = { merge: 'atomic', ...noKeys, items: whole };
const anyPiece: MapType = { atomic: true, fields: new Map(), rest: whole };

/** The type of values without a schema: maps are merged, lists are atomic. */
export const deduced: MergeType = {
  scalar: 'any',
  list: anyList,
  get map() {
    return anyMap;
  },
};

const anyMap: MapType = { atomic: false, fields: new Map(), rest: deduced };

const texts = { type: 'object', additionalProperties: { type: 'string' } };

const ownerReference = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    name: { type: 'string' },
    uid: { type: 'string' },
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const metadataSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    generateName: { type: 'string' },
    namespace: { type: 'string' },
    selfLink: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: ownerReference,
    },
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    managedFields: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
  },
};

const metadataType = typeOf(metadataSchema, false);

/** The fields of every object, regardless of its schema. */
const objectFields: readonly (readonly [string, MergeType])[] = [
  ['apiVersion', { scalar: 'string' }],
  ['kind', { scalar: 'string' }],
  ['metadata', metadataType],
];

/** The types are cached. Schemas are frozen, and each write needs the type of its kind. */
const known = new WeakMap<object, MergeType>();

/** Returns the merge type of a root schema. Without a schema, only metadata has a type. */
export function toMergeType(rootSchema: unknown): MergeType {
  const schema = isJsonObject(rootSchema) ? rootSchema : unknownRoot;
  const type = known.get(schema) ?? asObject(typeOf(schema, false));
  known.set(schema, type);
  return type;
}

const unknownRoot = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function asObject(type: MergeType): MergeType {
  const map = type.map ?? anyMap;
  return { map: { ...map, fields: new Map([...map.fields, ...objectFields]) } };
}

function typeOf(schema: JsonObject, inherited: boolean): MergeType {
  const preserves = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { scalar: 'any' };
  }
  switch (schema['type']) {
    case 'object':
      return schema['x-kubernetes-embedded-resource'] === true
        ? asObject({ map: mapOf(schema, preserves) })
        : { map: mapOf(schema, preserves) };
    case 'array':
      return { list: listOf(schema, preserves) };
    case 'string':
      // A value with a format may have another type than string, except for bytes.
      return { scalar: schema['format'] === undefined || schema['format'] === 'byte' ? 'string' : 'any' };
    case 'integer':
    case 'number':
      return { scalar: 'number' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return preserves ? deduced : whole;
  }
}

function mapOf(schema: JsonObject, preserves: boolean): MapType {
  const { properties, additionalProperties } = schema;
  const fields = new Map(
    Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => [
      name,
      isJsonObject(property) ? typeOf(property, preserves) : deduced,
    ]),
  );
  const isBare = fields.size === 0 && !isJsonObject(additionalProperties);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    rest: isJsonObject(additionalProperties)
      ? typeOf(additionalProperties, preserves)
      : preserves || isBare
        ? deduced
        : undefined,
  };
}

function listOf(schema: JsonObject, preserves: boolean): ListType {
  const items = isJsonObject(schema['items']) ? schema['items'] : {};
  const merge = schema['x-kubernetes-list-type'];
  const named = schema['x-kubernetes-list-map-keys'];
  const keys = Array.isArray(named) ? named.filter(key => typeof key === 'string') : [];
  const properties = isJsonObject(items['properties']) ? items['properties'] : {};
  const defaults = keys.flatMap(key => {
    const property = properties[key];
    return isJsonObject(property) && property['default'] !== undefined ? [[key, property['default']] as const] : [];
  });
  return {
    merge: merge === 'set' || merge === 'map' ? merge : 'atomic',
    keys,
    defaults: new Map(defaults),
    items: typeOf(items, preserves),
  };
}
