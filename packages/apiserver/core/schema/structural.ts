// Checks that the schemas of a CustomResourceDefinition are structural.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { StatusCause } from '../status.ts';
import { cause } from './cause.ts';
import { defaultProblems } from './defaults.ts';
import { listProblems } from './list-keywords.ts';
import { patternEngine } from './rule-engine.ts';

/** Returns problems of the schema of a kind. Rules are checked elsewhere. `path` is the path of the schema. */
export function structuralProblems(raw: unknown, path: string): readonly StatusCause[] {
  return isJsonObject(raw)
    ? [...rootProblems(raw, path), ...nodeProblems({ schema: raw, path, kind: 'root', defaults: true })]
    : [];
}

interface Node {
  readonly schema: JsonObject;
  readonly path: string;
  /** The subject of the schema. `value`: below allOf, anyOf, oneOf or not, where schemas only validate. */
  readonly kind: 'root' | 'field' | 'item' | 'value';
  /** Whether defaults are checked. Defaults below additional properties are not checked. */
  readonly defaults: boolean;
}

function rootProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const { type } = schema;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const texts = ['apiVersion', 'kind'].flatMap(name =>
    typedAs('string', properties[name], `${path}.properties[${name}]`),
  );
  return [
    ...(type === undefined || type === ''
      ? [cause(`${path}.type`, 'Required value', 'must not be empty at the root')]
      : []),
    ...(typeof type === 'string' && type !== '' && type !== 'object'
      ? [cause(`${path}.type`, 'Invalid value', 'must be object at the root', type)]
      : []),
    ...(isJsonObject(schema['additionalProperties'])
      ? [cause(`${path}.additionalProperties`, 'Forbidden', 'must not be used at the root')]
      : []),
    ...(schema['default'] === undefined ? [] : [cause(`${path}.default`, 'Forbidden', 'must not be set at the root')]),
    ...texts,
    ...metadataProblems(properties['metadata'], `${path}.properties[metadata]`),
  ];
}

function typedAs(type: string, schema: unknown, path: string): readonly StatusCause[] {
  const given = isJsonObject(schema) ? schema['type'] : undefined;
  return typeof given === 'string' && given !== type
    ? [cause(`${path}.type`, 'Invalid value', `must be ${type}`, given)]
    : [];
}

/** The server defines metadata. Schemas may only restrict the name. */
function metadataProblems(schema: unknown, path: string): readonly StatusCause[] {
  if (!isJsonObject(schema)) {
    return [];
  }
  const { type: _, description: __, properties, ...others } = schema;
  const names = isJsonObject(properties) ? Object.entries(properties) : [];
  const withDefault = names.filter(([, property]) => isJsonObject(property) && property['default'] !== undefined);
  const isNarrow =
    names.every(([name]) => name === 'name' || name === 'generateName') && Object.keys(others).length === 0;
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [
    ...typedAs('object', schema, path),
    ...(isNarrow ? [] : [cause(path, 'Forbidden', detail)]),
    ...withDefault.map(([name]) =>
      cause(`${path}.properties[${name}].default`, 'Forbidden', 'must not be set in top-level metadata'),
    ),
  ];
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['$ref', 'definitions', 'dependencies', 'id', 'patternProperties'] as const;

function nodeProblems(node: Node): readonly StatusCause[] {
  const { schema, path, kind } = node;
  return [
    ...keywordProblems(schema, path),
    ...(kind === 'value' ? valueProblems(schema, path) : structureProblems(node)),
    ...childProblems(node),
  ];
}

function keywordProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const { type, pattern, uniqueItems } = schema;
  const compiled = typeof pattern === 'string' ? patternEngine().compilePattern(pattern) : undefined;
  const quoted = types.map(each => `"${each}"`).join(', ');
  return [
    ...unsupported
      .filter(name => schema[name] !== undefined)
      .map(name => cause(`${path}.${name}`, 'Forbidden', `${name} is not supported`)),
    ...(typeof type === 'string' && type !== '' && !types.includes(type)
      ? [cause(`${path}.type`, 'Unsupported value', `supported values: ${quoted}`, type)]
      : []),
    ...(compiled?.ok === false
      ? [
          cause(
            `${path}.pattern`,
            'Invalid value',
            `must be a valid regular expression, but isn't: ${compiled.error}`,
            pattern,
          ),
        ]
      : []),
    ...(uniqueItems === true
      ? [
          cause(
            `${path}.uniqueItems`,
            'Forbidden',
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...(Array.isArray(schema['items'])
      ? [cause(`${path}.items`, 'Forbidden', 'items must be a schema object and not an array')]
      : []),
  ];
}

const whyTyped = { root: '', field: 'object fields', item: 'array items', value: '' } as const;

function structureProblems({ schema, path, kind, defaults }: Node): readonly StatusCause[] {
  const { type, items, properties, additionalProperties } = schema;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'];
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const isUntyped = (type === undefined || type === '') && !intOrString && preserve !== true && kind !== 'root';
  const whyFalse = intOrString ? 'must be false if x-kubernetes-int-or-string is true' : 'must be true or undefined';
  return [
    ...(isUntyped
      ? [cause(`${path}.type`, 'Required value', `must not be empty for specified ${whyTyped[kind]}`)]
      : []),
    ...(type === 'array' && items === undefined ? [cause(`${path}.items`, 'Required value', 'must be specified')] : []),
    ...(isJsonObject(additionalProperties) && isJsonObject(properties) && Object.keys(properties).length > 0
      ? [cause(`${path}.additionalProperties`, 'Forbidden', 'additionalProperties and properties are mutual exclusive')]
      : []),
    ...(preserve === false || (preserve === true && intOrString)
      ? [cause(`${path}.x-kubernetes-preserve-unknown-fields`, 'Invalid value', whyFalse, preserve)]
      : []),
    ...embeddedProblems(schema, path),
    ...listProblems(schema, path),
    ...(defaults ? defaultProblems(schema, path) : []),
  ];
}

function embeddedProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  if (schema['x-kubernetes-embedded-resource'] !== true) {
    return [];
  }
  const isDescribed = isJsonObject(schema['properties']) || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const why = 'if x-kubernetes-embedded-resource is true';
  return [
    ...(isDescribed
      ? []
      : [
          cause(
            `${path}.properties`,
            'Required value',
            `must not be empty ${why} without x-kubernetes-preserve-unknown-fields`,
          ),
        ]),
    ...(schema['type'] === 'object'
      ? []
      : [cause(`${path}.type`, 'Invalid value', `must be object ${why}`, schema['type'])]),
  ];
}

/** Keywords that describe a value, with the error text if a description is not allowed. */
const describing: readonly (readonly [name: string, must: string])[] = [
  ['type', 'empty'],
  ['description', 'empty'],
  ['title', 'empty'],
  ['default', 'undefined'],
  ['additionalProperties', 'undefined'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function valueProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  return describing
    .filter(([name]) => schema[name] !== undefined && schema[name] !== false && schema[name] !== '')
    .map(([name, must]) => cause(`${path}.${name}`, 'Forbidden', `must be ${must} to be structural`));
}

function childProblems({ schema, path, kind, defaults }: Node): readonly StatusCause[] {
  const below = (raw: unknown, at: string, as: Partial<Node>): readonly StatusCause[] =>
    isJsonObject(raw)
      ? nodeProblems({ schema: raw, path: at, kind: 'field', defaults, ...as, ...(kind === 'value' ? { kind } : {}) })
      : [];
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const within = (raw: unknown, at: string): readonly StatusCause[] =>
    isJsonObject(raw) && !isIntOrString(schema, raw['anyOf'])
      ? nodeProblems({ schema: raw, path: at, kind: 'value', defaults })
      : [];
  const combined = (['allOf', 'anyOf', 'oneOf'] as const).flatMap(name => {
    const members = schema[name];
    return Array.isArray(members) && !isIntOrString(schema, members)
      ? members.flatMap((member: unknown, index) => within(member, `${path}.${name}[${index}]`))
      : [];
  });
  return [
    ...properties.flatMap(([name, property]) => below(property, `${path}.properties[${name}]`, {})),
    ...below(schema['items'], `${path}.items`, { kind: 'item' }),
    ...below(kind === 'value' ? undefined : schema['additionalProperties'], `${path}.additionalProperties`, {
      defaults: false,
    }),
    ...combined,
    ...within(schema['not'], `${path}.not`),
  ];
}

/** The only location at which a type may be declared twice. */
function isIntOrString(schema: JsonObject, members: unknown): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true &&
    JSON.stringify(members) === JSON.stringify([{ type: 'integer' }, { type: 'string' }])
  );
}
