// Validates the versions of a CustomResourceDefinition: schema, rules, columns, scale, selectable fields.

import { isJsonObject, type JsonObject, memberOf, sameJson } from '@capi-serverless/apimachinery';
import type { ProblemType } from '@capi-serverless/cel';
import { cause } from './schema/cause.ts';
import { SchemaError } from './schema/node.ts';
import { createObjectSchema, type ObjectSchema } from './schema/object-schema.ts';
import { structuralProblems } from './schema/structural.ts';
import type { StatusCause } from './status.ts';

/**
 * The parsed schemas are cached. Stored schemas never change, and most writes of a definition do not change its
 * schemas.
 */
const parsed = new WeakMap<object, ObjectSchema>();

/** Throws SchemaError if the schema is invalid. */
export function schemaOf(raw: unknown, path: string): ObjectSchema {
  const known = isJsonObject(raw) ? parsed.get(raw) : undefined;
  const schema = known ?? createObjectSchema(raw, path);
  if (isJsonObject(raw)) {
    parsed.set(raw, schema);
  }
  return schema;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = memberOf(value, key);
  return Array.isArray(list) ? list : [];
}

/** Returns all problems of the versions. Unchanged versions are not validated again. */
export function problemsOfVersions(spec: unknown, before: unknown): readonly StatusCause[] {
  const versions = listAt(spec, 'versions');
  const others = listAt(before, 'versions');
  return versions.flatMap((version, index) => {
    const previous = others.find(other => memberOf(other, 'name') === memberOf(version, 'name'));
    return previous !== undefined && sameJson(previous, version)
      ? []
      : problemsOfVersion(version, { versions, field: `spec.versions[${index}]` });
  });
}

interface VersionField {
  readonly versions: readonly unknown[];
  readonly field: string;
}

/** A value that is the same in all versions is reported at its former top-level field. */
function fieldOf(key: string, shared: string, { versions, field }: VersionField): string {
  const isShared = versions.every(version => sameJson(memberOf(version, key), memberOf(versions[0], key)));
  return isShared ? shared : `${field}.${key}`;
}

function problemsOfVersion(version: unknown, at: VersionField): readonly StatusCause[] {
  const { field } = at;
  const schema = memberOf(memberOf(version, 'schema'), 'openAPIV3Schema');
  const schemaField = `${fieldOf('schema', 'spec.validation', at)}.openAPIV3Schema`;
  const warned = memberOf(version, 'deprecationWarning');
  return [
    ...(schema === undefined
      ? [cause(`${field}.schema.openAPIV3Schema`, 'Required value', 'schemas are required')]
      : problemsOfSchema(schema, schemaField)),
    ...(warned !== undefined && memberOf(version, 'deprecated') !== true
      ? [cause(`${field}.deprecationWarning`, 'Invalid value', 'can only be set for deprecated versions', warned)]
      : []),
    ...problemsOfColumns(version, fieldOf('additionalPrinterColumns', 'spec.additionalPrinterColumns', at)),
    ...problemsOfScale(version, fieldOf('subresources', 'spec.subresources', at)),
    ...problemsOfSelectableFields(version, schema, fieldOf('selectableFields', 'spec.selectableFields', at)),
  ];
}

/** Rules are checked only in a valid schema. */
function problemsOfSchema(raw: unknown, field: string): readonly StatusCause[] {
  const problems = structuralProblems(raw, field);
  if (problems.length > 0) {
    return problems;
  }
  try {
    return schemaOf(raw, field).ruleProblems();
  } catch (error) {
    if (error instanceof SchemaError) {
      return [{ reason: 'FieldValueInvalid', field: error.path, message: `Invalid value: ${error.message}` }];
    }
    throw error;
  }
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function problemsOfColumns(version: unknown, field: string): readonly StatusCause[] {
  return listAt(version, 'additionalPrinterColumns').flatMap((column, index) => {
    const at = `${field}[${index}]`;
    const [name, type, format, path] = ['name', 'type', 'format', 'jsonPath'].map(key => memberOf(column, key));
    const known = `must be one of ${columnTypes.join()}`;
    return [
      ...required(name, `${at}.name`),
      ...(type === undefined || type === '' ? [cause(`${at}.type`, 'Required value', known)] : []),
      ...wrong(type, columnTypes, { field: `${at}.type`, detail: known }),
      ...wrong(format, columnFormats, { field: `${at}.format`, detail: `must be one of ${columnFormats.join()}` }),
      ...required(path, `${at}.JSONPath`),
      ...(typeof path === 'string' && path !== '' && !path.startsWith('.')
        ? [cause(`${at}.JSONPath`, 'Invalid value', 'must be a simple json path starting with .', path)]
        : []),
    ];
  });
}

function required(value: unknown, field: string): readonly StatusCause[] {
  return value === undefined || value === '' ? [cause(field, 'Required value', '')] : [];
}

function wrong(
  value: unknown,
  words: readonly string[],
  { field, detail }: { readonly field: string; readonly detail: string },
): readonly StatusCause[] {
  return typeof value !== 'string' || value === '' || words.includes(value)
    ? []
    : [cause(field, 'Invalid value', detail, value)];
}

const scalePaths = [
  ['specReplicasPath', '.spec', true],
  ['statusReplicasPath', '.status', true],
  ['labelSelectorPath', '', false],
] as const;

function problemsOfScale(version: unknown, field: string): readonly StatusCause[] {
  const scale = memberOf(memberOf(version, 'subresources'), 'scale');
  if (!isJsonObject(scale)) {
    return [];
  }
  return scalePaths.flatMap(([name, root, needed]) => {
    const path = scale[name];
    const at = `${field}.scale.${name}`;
    const isBelow = typeof path !== 'string' || path === '' || path.startsWith(`${root}.`);
    return [
      ...(needed ? required(path, at) : []),
      ...(isBelow ? [] : [cause(at, 'Invalid value', `should be a json path under ${root}`, path)]),
    ];
  });
}

const mostSelectableFields = 8;

function problemsOfSelectableFields(version: unknown, schema: unknown, field: string): readonly StatusCause[] {
  const paths = listAt(version, 'selectableFields').map(each => memberOf(each, 'jsonPath'));
  const tooMany = paths.length > mostSelectableFields;
  return [
    ...(tooMany
      ? [
          {
            reason: 'FieldValueTooMany' as const,
            field,
            message: `Too many: ${paths.length}: must have at most 8 items`,
          },
        ]
      : []),
    ...paths.flatMap((path, index) => {
      const at = `${field}[${index}].jsonPath`;
      return paths.indexOf(path) < index
        ? [cause(at, 'Duplicate value', '', path)]
        : selectableProblem(schema, path).map(([type, detail]) => cause(at, type, detail, path));
    }),
  ];
}

function selectableProblem(schema: unknown, path: unknown): readonly (readonly [ProblemType, string])[] {
  const names = typeof path === 'string' && path.startsWith('.') ? path.slice(1).split('.') : [];
  const member = names.reduce<unknown>((at, name) => memberOf(memberOf(at, 'properties'), name), schema);
  if (names.length === 0 || names[0] === 'metadata' || !isJsonObject(member)) {
    return [['Invalid value', 'is an invalid path: does not refer to a valid field']];
  }
  const isSimple = ['string', 'boolean', 'integer'].includes(String((member satisfies JsonObject)['type']));
  const detail =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  return isSimple ? [] : [['Invalid value', detail]];
}
