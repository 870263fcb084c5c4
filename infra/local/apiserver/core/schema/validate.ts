// What a value must be by its schema, without the schema's rules.
import { sortMembers, toSortedJson } from '../../../../../shared/api/field-error.ts';
import { isObject, type JsonObject, sameJson } from '../json.ts';
import type { Cause, CauseReason } from '../status.ts';
import { cause } from './cause.ts';
import { problemOfFormat } from './formats.ts';
import type { SchemaNode } from './node.ts';

/** What the root object of a check is compared with, and how much of it is checked. */
export interface RootCheck {
  /** What the object replaces: what it violated before is forgiven wherever it stays as it is. */
  readonly live?: JsonObject | undefined;
  /** The only member that is checked. */
  readonly only?: string | undefined;
}

/** Every violation in the members of a root object; `metadata` is not looked at. */
export function problemsOfRoot(
  object: JsonObject,
  schema: SchemaNode,
  { live, only }: RootCheck = {},
): readonly Cause[] {
  const problems = problemsOfMembers(object, schema, { only });
  if (problems.length === 0 || live === undefined) {
    return problems;
  }
  const left = problemsOfMembers(object, schema, { only, old: live });
  const isDuplicate = ({ reason }: Cause): boolean => reason === 'FieldValueDuplicate';
  const wasUnique = !left.some(isDuplicate) || !problemsOfMembers(live, schema, { only }).some(isDuplicate);
  return wasUnique ? left : left.filter(each => !isDuplicate(each));
}

function problemsOfMembers(
  object: JsonObject,
  schema: SchemaNode,
  { only, old }: { readonly only: string | undefined; readonly old?: JsonObject },
): readonly Cause[] {
  if (only !== undefined) {
    const member = schema.properties.get(only);
    const value = object[only];
    return member === undefined || value === undefined
      ? []
      : problemsOfValue(value, member, { field: only, old: old?.[only] });
  }
  const { apiVersion: _, kind: __, metadata: ___, ...members } = object;
  const required = schema.required.filter(name => !['apiVersion', 'kind', 'metadata'].includes(name));
  // The metadata always differs, so that what is missing in the root is never forgiven.
  return violations(members, { ...schema, required }, { field: '', old });
}

function problem(reason: CauseReason, field: string, message: string): readonly Cause[] {
  return [{ reason, field, message }];
}

function invalid(field: string, value: unknown, message: string): readonly Cause[] {
  const shown = typeof value === 'object' ? '' : `${JSON.stringify(value)}: `;
  return problem('FieldValueInvalid', field, `Invalid value: ${shown}${message}`);
}

interface Place {
  readonly field: string;
  /** What the value replaces, where that can be told; undefined where it cannot, or where nothing is forgiven. */
  readonly old?: unknown;
}

/** Every violation in a value and below it, without those that the same value had before. */
export function problemsOfValue(value: unknown, schema: SchemaNode, place: Place): readonly Cause[] {
  const problems = violations(value, schema, place);
  return problems.length > 0 && place.old !== undefined && sameJson(value, place.old) ? [] : problems;
}

function violations(value: unknown, schema: SchemaNode, place: Place): readonly Cause[] {
  const { field } = place;
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
    ...(Array.isArray(value) ? problemsOfList(value, schema, place) : []),
    ...(isObject(value) ? problemsOfObject(value, schema, place) : []),
    ...problemsOfCombination(value, schema, place),
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

function problemsOfEnum(value: unknown, schema: SchemaNode, field: string): readonly Cause[] {
  if (schema.enum === undefined || schema.enum.some(each => sameJson(each, value))) {
    return [];
  }
  const supported = schema.enum.map(each => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  return problem('FieldValueNotSupported', field, message);
}

function problemsOfText(value: string, { limits, pattern, format }: SchemaNode, field: string): readonly Cause[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = limits;
  const length = [...value].length;
  const wrongFormat = format === undefined ? undefined : problemOfFormat(value, format);
  return [
    ...(length > maxLength
      ? problem('FieldValueTooLong', field, `Too long: may not be more than ${maxLength} characters`)
      : []),
    ...(length < minLength ? invalid(field, value, `${field} in body should be at least ${minLength} chars long`) : []),
    ...problemsOfPattern(value, pattern, field),
    ...(wrongFormat === undefined ? [] : invalid(field, value, `${field} in body must be ${wrongFormat}`)),
  ];
}

function problemsOfPattern(value: string, pattern: SchemaNode['pattern'], field: string): readonly Cause[] {
  switch (pattern?.test(value)) {
    case undefined:
    case 'matches':
      return [];
    case 'differs':
      return invalid(field, value, `${field} in body should match '${pattern?.source}'`);
    case 'too much work':
      return invalid(field, value.length, `${field} in body is too long to be matched against '${pattern?.source}'`);
  }
}

function problemsOfNumber(value: number, schema: SchemaNode, field: string): readonly Cause[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf } = schema.limits;
  const tooSmall = schema.exclusiveMinimum ? value <= minimum : value < minimum;
  const tooBig = schema.exclusiveMaximum ? value >= maximum : value > maximum;
  const wrongFormat = schema.format === undefined ? undefined : problemOfFormat(value, schema.format);
  return [
    ...(tooSmall ? invalid(field, value, `${field} in body should be greater than or equal to ${minimum}`) : []),
    ...(tooBig ? invalid(field, value, `${field} in body should be less than or equal to ${maximum}`) : []),
    ...(multipleOf !== undefined && value % multipleOf !== 0
      ? invalid(field, value, `${field} in body should be a multiple of ${multipleOf}`)
      : []),
    ...(wrongFormat === undefined ? [] : invalid(field, value, `${field} in body must be ${wrongFormat}`)),
  ];
}

function problemsOfList(list: readonly unknown[], schema: SchemaNode, { field, old }: Place): readonly Cause[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema.limits;
  const { items } = schema;
  const before = itemsByKeys(old, schema);
  const placeOf = (item: unknown, index: number): Place => ({
    field: `${field}[${index}]`,
    old: before?.get(identityOf(item, schema)),
  });
  return [
    ...(list.length > maxItems
      ? problem('FieldValueTooMany', field, `Too many: ${list.length}: must have at most ${maxItems} items`)
      : []),
    ...(list.length < minItems
      ? invalid(field, list.length, `${field} in body should have at least ${minItems} items`)
      : []),
    ...(items === undefined ? [] : list.flatMap((item, index) => problemsOfValue(item, items, placeOf(item, index)))),
    ...problemsOfUniqueness(list, schema, field),
  ];
}

/** Items can be told from each other where they have keys. */
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

/** Sets hold no value twice, lists with keys no two items of the same keys; of each only the second one is told. */
function problemsOfUniqueness(list: readonly unknown[], schema: SchemaNode, field: string): readonly Cause[] {
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

/** What a message shows of an item that is there twice: the item of a set, the keys of others. */
function shownOf(item: unknown, schema: SchemaNode): unknown {
  return sortMembers(
    schema.listType === 'set' ? item : Object.fromEntries(schema.listKeys.map(key => [key, keyIn(item, key, schema)])),
  );
}

function keyIn(item: unknown, key: string, { items }: SchemaNode): unknown {
  const value = isObject(item) ? item[key] : undefined;
  return value ?? items?.properties.get(key)?.default;
}

function problemsOfObject(object: JsonObject, schema: SchemaNode, { field, old }: Place): readonly Cause[] {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema.limits;
  const below = (key: string): string => (field === '' ? key : `${field}.${key}`);
  const count = Object.keys(object).length;
  const before = isObject(old) ? old : {};
  return [
    ...[...schema.required, ...(schema.embedded ? ['apiVersion', 'kind'] : [])]
      .filter(key => object[key] === undefined)
      .flatMap(key => problem('FieldValueRequired', below(key), 'Required value')),
    ...(count > maxProperties
      ? problem('FieldValueTooMany', field, `Too many: ${count}: must have at most ${maxProperties} items`)
      : []),
    ...(count < minProperties
      ? invalid(field, count, `${field} in body should have at least ${minProperties} properties`)
      : []),
    ...Object.entries(object).flatMap(([key, value]) => {
      const member = schema.properties.get(key) ?? schema.additional;
      return member === undefined || member === 'any'
        ? []
        : problemsOfValue(value, member, { field: below(key), old: before[key] });
    }),
  ];
}

function problemsOfCombination(value: unknown, schema: SchemaNode, place: Place): readonly Cause[] {
  const { field } = place;
  const holds = (each: SchemaNode): boolean => problemsOfValue(value, each, place).length === 0;
  const { allOf, anyOf, oneOf, not } = schema;
  return [
    ...allOf.flatMap(each => problemsOfValue(value, each, place)),
    ...(anyOf.length === 0 || anyOf.some(holds)
      ? []
      : invalid(field, value, `${field} in body must validate at least one schema (anyOf)`)),
    ...(oneOf.length === 0 || oneOf.filter(holds).length === 1
      ? []
      : invalid(field, value, `${field} in body must validate one and only one schema (oneOf)`)),
    ...(not !== undefined && holds(not)
      ? invalid(field, value, `${field} in body must not validate the schema (not)`)
      : []),
  ];
}
