// Builders of structural OpenAPI v3 schemas for CustomResourceDefinitions.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

/** A rule in the Common Expression Language that the API server checks on every write. */
export interface NameRule {
  readonly rule: string;
  readonly message: string;
}

/** The keywords that the core kinds use. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly format?: 'int32' | 'int64' | 'date-time' | 'byte';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly default?: string | number | boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-validations'?: readonly NameRule[];
}

type Fields = Readonly<Record<string, JsonSchema>>;
type TextLimits = Pick<JsonSchema, 'minLength' | 'maxLength' | 'pattern' | 'default' | 'x-kubernetes-validations'>;
type NumberLimits = Pick<JsonSchema, 'minimum' | 'maximum' | 'default'>;
type ListLimits = Pick<JsonSchema, 'minItems' | 'maxItems'>;

/** An object with exactly these fields. The API server drops other fields. */
export function object<F extends Fields>(
  description: string,
  properties: F,
  limits: {
    readonly required?: readonly (keyof F & string)[];
    readonly minProperties?: number;
    readonly 'x-kubernetes-map-type'?: 'atomic';
  } = {},
): JsonSchema {
  return { type: 'object', description, ...limits, properties };
}

/** An object with at least one field, so that `{}` is never stored. */
export function filledObject<F extends Fields>(
  description: string,
  properties: F,
  limits: { readonly required?: readonly (keyof F & string)[] } = {},
): JsonSchema {
  return object(description, properties, { ...limits, minProperties: 1 });
}

/** A map with any keys and text values, such as labels. */
export function textMap(description: string): JsonSchema {
  return { type: 'object', description, additionalProperties: { type: 'string' } };
}

export function text(description: string, limits: TextLimits = {}): JsonSchema {
  return { type: 'string', description, ...limits };
}

/** Text of 1 to `maxLength` characters. */
export function filledText(
  description: string,
  maxLength: number,
  limits: Omit<TextLimits, 'minLength' | 'maxLength'> = {},
): JsonSchema {
  return text(description, { minLength: 1, maxLength, ...limits });
}

/** Bytes, as 1 to `maxLength` characters of base64. */
export function bytes(description: string, maxLength: number): JsonSchema {
  return { type: 'string', description, format: 'byte', minLength: 1, maxLength };
}

/** One of the given values. */
export function choice(description: string, values: readonly string[]): JsonSchema {
  return { type: 'string', description, enum: values };
}

/** An RFC 3339 time. */
export function time(description: string): JsonSchema {
  return { type: 'string', description, format: 'date-time' };
}

export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

export function int32(description: string, limits: NumberLimits = {}): JsonSchema {
  return { type: 'integer', description, format: 'int32', ...limits };
}

export function int64(description: string, limits: NumberLimits = {}): JsonSchema {
  return { type: 'integer', description, format: 'int64', ...limits };
}

/** A number of seconds. Fractions are allowed. */
export function seconds(description: string, fallback: number): JsonSchema {
  return { type: 'number', description, minimum: 0, default: fallback };
}

/** A number, or text such as "25%". */
export function intOrString(description: string): JsonSchema {
  return { description, anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
}

/** Any JSON value, stored as given. */
export function anyValue(description: string): JsonSchema {
  return { description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** An object whose fields are stored as given. */
export function anyObject(description: string): JsonSchema {
  return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** An atomic list: each write replaces all of it. */
export function atomicList(description: string, items: JsonSchema, limits: ListLimits = {}): JsonSchema {
  return { type: 'array', description, 'x-kubernetes-list-type': 'atomic', ...limits, items };
}

/** A list whose items are identified by `keys`, so that several field managers can own items. */
export function listByKeys(
  description: string,
  keys: readonly string[],
  items: JsonSchema,
  limits: ListLimits = {},
): JsonSchema {
  return {
    type: 'array',
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    ...limits,
    items,
  };
}
