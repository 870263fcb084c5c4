// Compares the field types of the contract with schemas of definitions and with values of objects.
import { isJsonObject, toRecord } from '@capi-serverless/apimachinery';
import type { ObjectProblem } from '../findings/finding.ts';

export type FieldShape =
  | { readonly type: 'boolean' | 'string' | 'integer' }
  | { readonly type: 'array'; readonly items: FieldShape }
  | { readonly type: 'map'; readonly values: FieldShape }
  | { readonly type: 'object'; readonly fields: Fields; readonly required?: readonly string[] }
  | { readonly type: 'anyObject' };

type Fields = Readonly<Record<string, FieldShape>>;

const typeNames: Readonly<Record<FieldShape['type'], string>> = {
  boolean: 'a boolean',
  string: 'a string',
  integer: 'an integer',
  array: 'a list',
  map: 'a map',
  object: 'an object',
  anyObject: 'an object',
};

export function toShapeName(shape: FieldShape): string {
  return typeNames[shape.type];
}

/** The `type` keyword of the schema for the field type. */
function toSchemaType(shape: FieldShape): string {
  return shape.type === 'map' || shape.type === 'anyObject' ? 'object' : shape.type;
}

/** The schema of one field in a definition. `open`: there is no schema, but objects may have any value. */
type Found =
  | { readonly state: 'schema'; readonly schema: Readonly<Record<string, unknown>>; readonly field: string }
  | { readonly state: 'open' }
  | { readonly state: 'missing'; readonly field: string };

const preserve = 'x-kubernetes-preserve-unknown-fields';

/** Follows a dotted path through properties. `field` is the deepest schema that exists. */
export function findSchema(root: unknown, path: string, at: string): Found {
  let schema = toRecord(root);
  let field = at;
  for (const name of path.split('.')) {
    const next = toRecord(schema['properties'])[name];
    if (next === undefined) {
      return isOpen(schema) ? { state: 'open' } : { state: 'missing', field };
    }
    schema = toRecord(next);
    field = `${field}.properties.${name}`;
  }
  return { state: 'schema', schema, field };
}

function isOpen(schema: Readonly<Record<string, unknown>>): boolean {
  return schema[preserve] === true || Boolean(schema['additionalProperties']);
}

/**
 * Returns the places at which a schema would refuse or prune a value of this type. `path` is the object's field, for
 * messages.
 */
export function compareSchema(
  raw: unknown,
  shape: FieldShape,
  at: { readonly field: string; readonly path: string },
): readonly ObjectProblem[] {
  const schema = toRecord(raw);
  const type = schema['type'];
  if (type === undefined && schema[preserve] === true) {
    return [];
  }
  if (type !== toSchemaType(shape)) {
    const message = `${at.path} is ${String(type ?? 'of no type')}, but the contract has ${toShapeName(shape)} there; write type: ${toSchemaType(shape)}`;
    return [problem(`${at.field}.type`, message)];
  }
  return compareParts(schema, shape, at);
}

function compareParts(
  schema: Readonly<Record<string, unknown>>,
  shape: FieldShape,
  { field, path }: { readonly field: string; readonly path: string },
): readonly ObjectProblem[] {
  switch (shape.type) {
    case 'array':
      return compareSchema(schema['items'], shape.items, { field: `${field}.items`, path: `${path}[]` });
    case 'map':
      return compareMap(schema, shape.values, { field, path });
    case 'object':
      return Object.entries(shape.fields).flatMap(([name, part]) =>
        compareField(schema, part, { field, path, name, isRequired: shape.required?.includes(name) === true }),
      );
    case 'boolean':
    case 'string':
    case 'integer':
    case 'anyObject':
      return [];
  }
}

function compareMap(
  schema: Readonly<Record<string, unknown>>,
  values: FieldShape,
  { field, path }: { readonly field: string; readonly path: string },
): readonly ObjectProblem[] {
  const { additionalProperties } = schema;
  if (additionalProperties === true || schema[preserve] === true) {
    return [];
  }
  return isJsonObject(additionalProperties)
    ? compareSchema(additionalProperties, values, { field: `${field}.additionalProperties`, path: `${path}.*` })
    : [problem(field, `${path} has fixed fields, but the contract has free names there; write additionalProperties`)];
}

interface Member {
  readonly field: string;
  readonly path: string;
  readonly name: string;
  readonly isRequired: boolean;
}

function compareField(
  schema: Readonly<Record<string, unknown>>,
  shape: FieldShape,
  { field, path, name, isRequired }: Member,
): readonly ObjectProblem[] {
  const found = findSchema(schema, name, field);
  if (found.state === 'schema') {
    return compareSchema(found.schema, shape, { field: found.field, path: `${path}.${name}` });
  }
  return found.state === 'missing' && isRequired
    ? [problem(found.field, `${path}.${name} is missing; add it as ${toShapeName(shape)}`)]
    : [];
}

/**
 * Returns the places at which a value has another type. An absent or null value is valid, unless the contract requires
 * the field.
 */
export function compareValue(value: unknown, shape: FieldShape, path: string): readonly ObjectProblem[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (!hasType(value, shape)) {
    return [
      problem(path, `is ${JSON.stringify(value).slice(0, 80)}, but the contract has ${toShapeName(shape)} there`),
    ];
  }
  switch (shape.type) {
    case 'array':
      return (Array.isArray(value) ? value : []).flatMap((item, index) =>
        compareValue(item, shape.items, `${path}[${index}]`),
      );
    case 'map':
      return Object.entries(toRecord(value)).flatMap(([key, item]) =>
        compareValue(item, shape.values, `${path}[${key}]`),
      );
    case 'object':
      return Object.entries(shape.fields).flatMap(([name, part]) => {
        const item = toRecord(value)[name];
        return (item === undefined || item === null) && shape.required?.includes(name) === true
          ? [problem(`${path}.${name}`, `is missing, but the contract requires ${toShapeName(part)} there`)]
          : compareValue(item, part, `${path}.${name}`);
      });
    case 'boolean':
    case 'string':
    case 'integer':
    case 'anyObject':
      return [];
  }
}

function hasType(value: unknown, shape: FieldShape): boolean {
  switch (shape.type) {
    case 'boolean':
    case 'string':
      return typeof value === shape.type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'map':
    case 'object':
    case 'anyObject':
      return isJsonObject(value);
  }
}

function problem(field: string, message: string): ObjectProblem {
  return { severity: 'error', field, message };
}
