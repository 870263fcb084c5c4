// Structural OpenAPI v3 schemas, parsed once per definition.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

import { type Checked, isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { Pattern, PatternResult } from '@capi-serverless/apimachinery/pattern';
import { deepFreeze } from '../json.ts';
import { patternEngine } from './rule-engine.ts';

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const;
type SchemaType = (typeof types)[number];

const limitNames = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'multipleOf',
] as const;

type Limits = { readonly [name in (typeof limitNames)[number]]?: number };

export interface SchemaNode {
  /** Absent if any type is allowed. */
  readonly type: SchemaType | undefined;
  readonly format: string | undefined;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly default: unknown;
  readonly enum: readonly unknown[] | undefined;
  readonly pattern: { readonly source: string; test(text: string): PatternResult } | undefined;
  readonly limits: Limits;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The schema of additional properties. `any` if they are not restricted. */
  readonly additional: SchemaNode | 'any' | undefined;
  readonly items: SchemaNode | undefined;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

/** The error if the schema is invalid. `path` is the path of the keyword. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Throws SchemaError if a schema is not an object or has an unknown type. */
export function parseSchema(raw: unknown, path: string): SchemaNode {
  if (!isJsonObject(raw)) {
    throw new SchemaError(path, 'must be a schema');
  }
  const below = (key: string): SchemaNode | undefined =>
    raw[key] === undefined ? undefined : parseSchema(raw[key], `${path}.${key}`);
  return {
    type: parseType(raw['type'], `${path}.type`),
    format: textIn(raw, 'format'),
    nullable: raw['nullable'] === true,
    intOrString: raw['x-kubernetes-int-or-string'] === true,
    preserveUnknown: raw['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: raw['x-kubernetes-embedded-resource'] === true,
    default: deepFreeze(raw['default']),
    enum: Array.isArray(raw['enum']) ? raw['enum'] : undefined,
    pattern: parsePattern(raw['pattern']),
    limits: parseLimits(raw),
    exclusiveMinimum: raw['exclusiveMinimum'] === true,
    exclusiveMaximum: raw['exclusiveMaximum'] === true,
    required: textsIn(raw, 'required'),
    properties: parseProperties(raw['properties'], `${path}.properties`),
    additional:
      typeof raw['additionalProperties'] === 'boolean'
        ? anyWhen(raw['additionalProperties'])
        : below('additionalProperties'),
    items: below('items'),
    listType: parseListType(raw['x-kubernetes-list-type']),
    listKeys: textsIn(raw, 'x-kubernetes-list-map-keys'),
    allOf: parseList(raw['allOf'], `${path}.allOf`),
    anyOf: parseList(raw['anyOf'], `${path}.anyOf`),
    oneOf: parseList(raw['oneOf'], `${path}.oneOf`),
    not: below('not'),
  };
}

/** The value false is the default in structural schemas. */
function anyWhen(allowed: boolean): 'any' | undefined {
  return allowed ? 'any' : undefined;
}

function textIn(raw: JsonObject, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' ? value : undefined;
}

function textsIn(raw: JsonObject, key: string): readonly string[] {
  const value = raw[key];
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

function parseType(raw: unknown, path: string): SchemaType | undefined {
  const type = types.find(each => each === raw);
  if (type === undefined && raw !== undefined && raw !== '') {
    throw new SchemaError(path, `${JSON.stringify(raw)} is not a type`);
  }
  return type;
}

/** Compiled on first use. Definitions with invalid patterns are refused earlier. */
function parsePattern(source: unknown): SchemaNode['pattern'] {
  if (typeof source !== 'string') {
    return undefined;
  }
  let compiled: Checked<Pattern> | undefined;
  return {
    source,
    test(text) {
      compiled ??= patternEngine().compilePattern(source);
      return compiled.ok ? compiled.value.test(text) : 'matches';
    },
  };
}

function parseLimits(raw: JsonObject): Limits {
  return Object.fromEntries(limitNames.filter(name => typeof raw[name] === 'number').map(name => [name, raw[name]]));
}

function parseListType(raw: unknown): 'atomic' | 'set' | 'map' {
  return raw === 'set' || raw === 'map' ? raw : 'atomic';
}

function parseProperties(raw: unknown, path: string): ReadonlyMap<string, SchemaNode> {
  const entries = isJsonObject(raw) ? Object.entries(raw) : [];
  return new Map(entries.map(([name, schema]) => [name, parseSchema(schema, `${path}[${name}]`)]));
}

function parseList(raw: unknown, path: string): readonly SchemaNode[] {
  return Array.isArray(raw) ? raw.map((schema: unknown, index) => parseSchema(schema, `${path}[${index}]`)) : [];
}
