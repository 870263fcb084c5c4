// Derives the type of values from a structural schema, with bounds for the cost estimate. Rules cannot use members
// without a type. These are unknown members, and members that allow any type.
import { escapeName } from './escape.ts';
import { choicesOf, itemsOf, listKeysOf, membersOf, requiredOf, type StructuralSchema, valuesOf } from './schema.ts';
import { bool, type CelType, double, dyn, int, type ListIdentity, type ObjectField, scalar } from './type.ts';

/** The default request limit of API servers, 3 MiB. It bounds every value of an object. */
const maxRequestBytes = 3 * 1024 * 1024;
const longestText = maxRequestBytes - 2;
/** The maximum UTF-8 size of a code point. */
const bytesPerCharacter = 4;
/** The JSON sizes of an empty string, the shortest date, the longest duration and the longest time. */
const emptyText = 2;
const dateBytes = 12;
const longestDuration = 32;
const longestTime = 64;

/** A type, and the minimum JSON size of its values. */
export interface SizedType {
  readonly type: CelType;
  readonly minBytes: number;
}

/**
 * Keys have no bound. As on API servers, estimates assume that keys are empty. The counted cost uses the actual size.
 */
const keys = scalar('string', 0);

/**
 * Returns the type of values of this schema, or undefined if rules cannot use them. `resource` adds apiVersion, kind
 * and metadata.
 */
export type TypeOfSchema = (schema: StructuralSchema, resource?: boolean) => SizedType | undefined;

/** Derives the type of each schema once: rules at many levels of a schema need the types of the same parts. */
export function typesOfSchemas(): TypeOfSchema {
  const plain = new Map<StructuralSchema, SizedType | undefined>();
  const resources = new Map<StructuralSchema, SizedType | undefined>();
  const typeOf: TypeOfSchema = (schema, resource = false) => {
    const known = resource ? resources : plain;
    if (!known.has(schema)) {
      known.set(schema, derive(schema, resource, typeOf));
    }
    return known.get(schema);
  };
  return typeOf;
}

function derive(schema: StructuralSchema, resource: boolean, typeOf: TypeOfSchema): SizedType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { type: scalar('dyn', longestText), minBytes: 1 };
  }
  switch (resource ? 'object' : schema.type) {
    case 'array':
      return listType(schema, typeOf);
    case 'object':
      return valuesOf(schema) === undefined ? objectType(schema, resource, typeOf) : mapType(schema, typeOf);
    case 'string':
      return textType(schema);
    case 'boolean':
      return { type: bool, minBytes: 4 };
    case 'number':
      return { type: double, minBytes: 1 };
    case 'integer':
      return { type: int, minBytes: 1 };
    default:
      return undefined;
  }
}

function below(schema: StructuralSchema, typeOf: TypeOfSchema): SizedType | undefined {
  return typeOf(schema, schema['x-kubernetes-embedded-resource'] === true);
}

function listType(schema: StructuralSchema, typeOf: TypeOfSchema): SizedType | undefined {
  const described = itemsOf(schema);
  const items = described === undefined ? undefined : below(described, typeOf);
  if (items === undefined) {
    return undefined;
  }
  const max = limit(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (items.minBytes + 1));
  return { type: { kind: 'list', of: items.type, max, identity: identityOf(schema) }, minBytes: 2 };
}

/** Returns the list type and keys that identify items of this schema. */
export function identityOf(schema: StructuralSchema): ListIdentity {
  const kind = schema['x-kubernetes-list-type'];
  return {
    kind: kind === 'set' || kind === 'map' ? kind : 'atomic',
    keys: listKeysOf(schema),
  };
}

function mapType(schema: StructuralSchema, typeOf: TypeOfSchema): SizedType | undefined {
  const described = valuesOf(schema);
  const values = described === undefined ? undefined : below(described, typeOf);
  if (values === undefined) {
    return undefined;
  }
  const max = limit(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (values.minBytes + 6));
  return { type: { kind: 'map', key: keys, of: values.type, max }, minBytes: 2 };
}

const embeddedMembers: readonly (readonly [string, StructuralSchema])[] = [
  ['apiVersion', { type: 'string' }],
  ['kind', { type: 'string' }],
  ['metadata', { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } }],
];

function objectType(schema: StructuralSchema, resource: boolean, typeOf: TypeOfSchema): SizedType {
  const properties = [...new Map([...membersOf(schema), ...(resource ? embeddedMembers : [])])];
  const required = requiredOf(schema);
  const minBytes = properties
    .filter(([name, property]) => required.includes(name) && property.default === undefined)
    .reduce((sum, [name, property]) => sum + name.length + (below(property, typeOf)?.minBytes ?? 0) + 4, 2);
  let fields: ReadonlyMap<string, ObjectField> | undefined;
  const read = (): ReadonlyMap<string, ObjectField> => {
    fields ??= new Map(properties.flatMap(([name, property]) => toField(name, property, typeOf)));
    return fields;
  };
  return { type: { kind: 'object', fields: read }, minBytes };
}

function toField(
  name: string,
  schema: StructuralSchema,
  typeOf: TypeOfSchema,
): readonly (readonly [string, ObjectField])[] {
  const escaped = escapeName(name);
  const known = below(schema, typeOf);
  return escaped === undefined || known === undefined ? [] : [[escaped, { name, type: known.type }]];
}

function textType(schema: StructuralSchema): SizedType {
  switch (schema.format) {
    case 'byte':
      return { type: scalar('bytes', limit(schema.maxLength) ?? longestText), minBytes: emptyText };
    case 'duration':
      return { type: scalar('google.protobuf.Duration', longestDuration), minBytes: emptyText };
    case 'date':
      return { type: scalar('google.protobuf.Timestamp', dateBytes), minBytes: dateBytes };
    case 'date-time':
      return { type: scalar('google.protobuf.Timestamp', longestTime), minBytes: 2 + 'YYYY-MM-DDTHH:MM:SSZ'.length };
    default:
      return { type: scalar('string', longestOf(schema)), minBytes: emptyText };
  }
}

function longestOf(schema: StructuralSchema): number {
  const max = limit(schema.maxLength);
  if (max !== undefined) {
    return max * bytesPerCharacter;
  }
  const texts = choicesOf(schema).filter(value => typeof value === 'string');
  // A tenant may name more choices than a call can have arguments.
  return texts.length === 0 ? longestText : texts.reduce((longest, { length }) => Math.max(longest, length), 0);
}

function limit(value: number | undefined): number | undefined {
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}

/** Returns the type of a value without a declaration. */
export const undescribed: SizedType = { type: dyn, minBytes: 1 };
