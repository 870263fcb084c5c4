// Validates a value against its schema, without the schema's rules.
import { isJsonObject, type JsonObject, sameJson, sortMembers, toSortedJson } from '@capi-serverless/apimachinery';
import type { CauseReason, StatusCause } from '../status.ts';
import { cause } from './cause.ts';
import { hasFormat } from './formats.ts';
import type { SchemaNode } from './node.ts';

/** The replaced object, and the part of the root object that is validated. */
interface RootCheck {
  /** The replaced object. Violations of its unchanged values are ignored. */
  readonly live?: JsonObject | undefined;
  /** The only member that is validated. */
  readonly only?: string | undefined;
}

/** Returns all violations in the members of a root object. `metadata` is ignored. */
export function problemsOfRoot(
  object: JsonObject,
  schema: SchemaNode,
  { live, only }: RootCheck = {},
): readonly StatusCause[] {
  const problems = problemsOfMembers(object, schema, { only });
  if (problems.length === 0 || live === undefined) {
    return problems;
  }
  const left = problemsOfMembers(object, schema, { only, old: live });
  const isDuplicate = ({ reason }: StatusCause): boolean => reason === 'FieldValueDuplicate';
  const wasUnique = !left.some(isDuplicate) || !problemsOfMembers(live, schema, { only }).some(isDuplicate);
  return wasUnique ? left : left.filter(each => !isDuplicate(each));
}

function problemsOfMembers(
  object: JsonObject,
  schema: SchemaNode,
  { only, old }: { readonly only: string | undefined; readonly old?: JsonObject },
): readonly StatusCause[] {
  if (only !== undefined) {
    const member = schema.properties.get(only);
    const value = object[only];
    return member === undefined || value === undefined
      ? []
      : problemsOfValue(value, member, { field: only, old: old?.[only] });
  }
  const { apiVersion: _, kind: __, metadata: ___, ...members } = object;
  const required = schema.required.filter(name => !['apiVersion', 'kind', 'metadata'].includes(name));
  // The metadata always differs, so a missing root member is never ignored.
  return violations(members, { ...schema, required }, { field: '', old });
}

function problem(reason: CauseReason, field: string, message: string): readonly StatusCause[] {
  return [{ reason, field, message }];
}

function invalidCause(field: string, value: unknown, message: string): readonly StatusCause[] {
  const shown = typeof value === 'object' ? '' : `${JSON.stringify(value)}: `;
  return problem('FieldValueInvalid', field, `Invalid value: ${shown}${message}`);
}

interface CheckedField {
  readonly field: string;
  /** The corresponding old value. Undefined if there is none, or if no violation is ignored. */
  readonly old?: unknown;
}

/** Returns all violations in a value and below it, except those of an equal old value. */
export function problemsOfValue(value: unknown, schema: SchemaNode, at: CheckedField): readonly StatusCause[] {
  const problems = violations(value, schema, at);
  return problems.length > 0 && at.old !== undefined && sameJson(value, at.old) ? [] : problems;
}

function violations(value: unknown, schema: SchemaNode, at: CheckedField): readonly StatusCause[] {
  const { field } = at;
  if (value === null && schema.nullable) {
    return [];
  }
  const type = typeOf(value);
  const expected = schema.intOrString ? ['integer', 'string'] : schema.type === undefined ? [type] : [schema.type];
  if (!expected.some(each => each === type || (each === 'number' && type === 'integer'))) {
    const message = `Invalid value: "${type}": ${field} in body must be of type ${expected.join(' or ')}: "${type}"`;
    return problem('FieldValueTypeInvalid', field, message);
  }
  return [
    ...problemsOfEnum(value, schema, field),
    ...(typeof value === 'string' ? problemsOfText(value, schema, field) : []),
    ...(typeof value === 'number' ? problemsOfNumber(value, schema, field) : []),
    ...(Array.isArray(value) ? problemsOfList(value, schema, at) : []),
    ...(isJsonObject(value) ? problemsOfObject(value, schema, at) : []),
    ...problemsOfCombination(value, schema, at),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function problemsOfEnum(value: unknown, schema: SchemaNode, field: string): readonly StatusCause[] {
  if (schema.enum === undefined || schema.enum.some(each => sameJson(each, value))) {
    return [];
  }
  const supported = schema.enum.map(each => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  return problem('FieldValueNotSupported', field, message);
}

function problemsOfText(value: string, { limits, pattern, format }: SchemaNode, field: string): readonly StatusCause[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = limits;
  const length = [...value].length;
  return [
    ...(length > maxLength
      ? problem('FieldValueTooLong', field, `Too long: may not be more than ${maxLength} bytes`)
      : []),
    ...(length < minLength
      ? invalidCause(field, value, `${field} in body should be at least ${minLength} chars long`)
      : []),
    ...problemsOfPattern(value, pattern, field),
    ...problemsOfFormat(value, format, field),
  ];
}

function problemsOfFormat(value: string | number, format: string | undefined, field: string): readonly StatusCause[] {
  if (format === undefined || hasFormat(value, format)) {
    return [];
  }
  if (typeof value === 'number') {
    return invalidCause(field, value, `${field} in body must be a ${format.slice('int'.length)} bit integer`);
  }
  const shown = JSON.stringify(value);
  const message = `Invalid value: ${shown}: ${field} in body must be of type ${format}: ${shown}`;
  return problem('FieldValueTypeInvalid', field, message);
}

function problemsOfPattern(value: string, pattern: SchemaNode['pattern'], field: string): readonly StatusCause[] {
  switch (pattern?.test(value)) {
    case undefined:
    case 'matches':
      return [];
    case 'differs':
      return invalidCause(field, value, `${field} in body should match '${pattern?.source}'`);
    case 'too much work':
      return invalidCause(
        field,
        value.length,
        `${field} in body is too long to be matched against '${pattern?.source}'`,
      );
  }
}

function problemsOfNumber(value: number, schema: SchemaNode, field: string): readonly StatusCause[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf } = schema.limits;
  const tooSmall = schema.exclusiveMinimum ? value <= minimum : value < minimum;
  const tooBig = schema.exclusiveMaximum ? value >= maximum : value > maximum;
  return [
    ...(tooSmall ? invalidCause(field, value, `${field} in body should be greater than or equal to ${minimum}`) : []),
    ...(tooBig ? invalidCause(field, value, `${field} in body should be less than or equal to ${maximum}`) : []),
    ...(multipleOf !== undefined && value % multipleOf !== 0
      ? invalidCause(field, value, `${field} in body should be a multiple of ${multipleOf}`)
      : []),
    ...problemsOfFormat(value, schema.format, field),
  ];
}

function problemsOfList(
  list: readonly unknown[],
  schema: SchemaNode,
  { field, old }: CheckedField,
): readonly StatusCause[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema.limits;
  const { items } = schema;
  const before = itemsByKeys(old, schema);
  const checkedItem = (item: unknown, index: number): CheckedField => ({
    field: `${field}[${index}]`,
    old: before?.get(identityOf(item, schema)),
  });
  return [
    ...(list.length > maxItems
      ? problem('FieldValueTooMany', field, `Too many: ${list.length}: must have at most ${maxItems} items`)
      : []),
    ...(list.length < minItems
      ? invalidCause(field, list.length, `${field} in body should have at least ${minItems} items`)
      : []),
    ...(items === undefined
      ? []
      : list.flatMap((item, index) => problemsOfValue(item, items, checkedItem(item, index)))),
    ...problemsOfUniqueness(list, schema, field),
  ];
}

/** Items can be matched by keys only. */
function itemsByKeys(old: unknown, schema: SchemaNode): ReadonlyMap<string, unknown> | undefined {
  return schema.listType === 'map' && Array.isArray(old)
    ? new Map(old.map((item: unknown) => [identityOf(item, schema), item]))
    : undefined;
}

function identityOf(item: unknown, schema: SchemaNode): string {
  return schema.listType === 'set'
    ? toSortedJson(item)
    : JSON.stringify(schema.listKeys.map(key => keyIn(item, key, schema)));
}

/**
 * A set contains no value twice. A keyed list contains no two items with the same keys. Only the second item is
 * reported.
 */
function problemsOfUniqueness(list: readonly unknown[], schema: SchemaNode, field: string): readonly StatusCause[] {
  if (schema.listType === 'atomic') {
    return [];
  }
  const times = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = identityOf(item, schema);
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return time === 2 ? [cause(`${field}[${index}]`, 'Duplicate value', '', shownOf(item, schema))] : [];
  });
}

/** The part of a duplicate item that the message prints: the item of a set, or the keys. */
function shownOf(item: unknown, schema: SchemaNode): unknown {
  return sortMembers(
    schema.listType === 'set' ? item : Object.fromEntries(schema.listKeys.map(key => [key, keyIn(item, key, schema)])),
  );
}

function keyIn(item: unknown, key: string, { items }: SchemaNode): unknown {
  const value = isJsonObject(item) ? item[key] : undefined;
  return value ?? items?.properties.get(key)?.default;
}

function problemsOfObject(
  object: JsonObject,
  schema: SchemaNode,
  { field, old }: CheckedField,
): readonly StatusCause[] {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema.limits;
  const below = (key: string): string => (field === '' ? key : `${field}.${key}`);
  const count = Object.keys(object).length;
  const before = isJsonObject(old) ? old : {};
  return [
    ...[...schema.required, ...(schema.embedded ? ['apiVersion', 'kind'] : [])]
      .filter(key => object[key] === undefined)
      .flatMap(key => problem('FieldValueRequired', below(key), 'Required value')),
    ...(count > maxProperties
      ? problem('FieldValueTooMany', field, `Too many: ${count}: must have at most ${maxProperties} items`)
      : []),
    ...(count < minProperties
      ? invalidCause(field, count, `${field} in body should have at least ${minProperties} properties`)
      : []),
    ...Object.entries(object).flatMap(([key, value]) => {
      const member = schema.properties.get(key) ?? schema.additional;
      return member === undefined || member === 'any'
        ? []
        : problemsOfValue(value, member, { field: below(key), old: before[key] });
    }),
  ];
}

function problemsOfCombination(value: unknown, schema: SchemaNode, at: CheckedField): readonly StatusCause[] {
  const { field } = at;
  const holds = (each: SchemaNode): boolean => problemsOfValue(value, each, at).length === 0;
  const { allOf, anyOf, oneOf, not } = schema;
  return [
    ...allOf.flatMap(each => problemsOfValue(value, each, at)),
    ...(anyOf.length === 0 || anyOf.some(holds)
      ? []
      : invalidCause(field, value, `${field} in body must validate at least one schema (anyOf)`)),
    ...(oneOf.length === 0 || oneOf.filter(holds).length === 1
      ? []
      : invalidCause(field, value, `${field} in body must validate one and only one schema (oneOf)`)),
    ...(not !== undefined && holds(not)
      ? invalidCause(field, value, `${field} in body must not validate the schema (not)`)
      : []),
  ];
}
