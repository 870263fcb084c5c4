// Rules for `x-kubernetes-list-type`, `-list-map-keys` and `-map-type` in a schema.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { StatusCause } from '../status.ts';
import { cause } from './cause.ts';

/** Returns problems of the list and map merge keywords of the schema. */
export function listProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  return [
    ...oneOf(schema, 'x-kubernetes-list-type', { path, words: ['atomic', 'set', 'map'], type: 'array' }),
    ...oneOf(schema, 'x-kubernetes-map-type', { path, words: ['atomic', 'granular'], type: 'object' }),
    ...setProblems(schema, path),
    ...keyProblems(schema, path),
  ];
}

interface Choice {
  readonly path: string;
  readonly words: readonly string[];
  readonly type: string;
}

function oneOf(schema: JsonObject, keyword: string, { path, words, type }: Choice): readonly StatusCause[] {
  const word = schema[keyword];
  if (word === undefined) {
    return [];
  }
  const supported = `supported values: ${words.map(each => `"${each}"`).join(', ')}`;
  return [
    ...(typeof word === 'string' && words.includes(word)
      ? []
      : [cause(`${path}.${keyword}`, 'Unsupported value', supported, word)]),
    ...(schema['type'] === type
      ? []
      : [cause(`${path}.type`, 'Invalid value', `must be ${type} if ${keyword} is specified`, schema['type'] ?? '')]),
  ];
}

function setProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const items = isJsonObject(schema['items']) ? schema['items'] : {};
  if (schema['x-kubernetes-list-type'] !== 'set') {
    return [];
  }
  const isMutable = items['type'] === 'object' && items['x-kubernetes-map-type'] !== 'atomic';
  const isMerged = items['type'] === 'array' && (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic';
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return [
    ...(isMutable ? [cause(`${path}.items.x-kubernetes-map-type`, 'Invalid value', detail, null)] : []),
    ...(isMerged ? [cause(`${path}.items.x-kubernetes-list-type`, 'Invalid value', detail, null)] : []),
    ...(items['nullable'] === true
      ? [cause(`${path}.items.nullable`, 'Forbidden', 'cannot be nullable when x-kubernetes-list-type is set')]
      : []),
  ];
}

function keyProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const given = schema['x-kubernetes-list-map-keys'];
  const keys = Array.isArray(given) ? given.filter(key => typeof key === 'string') : [];
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (schema['x-kubernetes-list-type'] !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    return keys.length === 0 ? [] : [cause(`${path}.x-kubernetes-list-type`, 'Required value', detail)];
  }
  if (keys.length === 0) {
    return [cause(keysPath, 'Required value', 'must not be empty if x-kubernetes-list-type is map')];
  }
  const items = isJsonObject(schema['items']) ? schema['items'] : {};
  const properties = isJsonObject(items['properties']) ? items['properties'] : {};
  const whyObject = "must be object if parent array's x-kubernetes-list-type is map";
  return [
    ...(items['type'] === 'object'
      ? []
      : [cause(`${path}.items.type`, 'Invalid value', whyObject, items['type'] ?? '')]),
    ...(new Set(keys).size === keys.length
      ? []
      : [cause(keysPath, 'Invalid value', 'must not contain duplicate entries', keys)]),
    ...(items['nullable'] === true
      ? [cause(`${path}.items.nullable`, 'Forbidden', 'cannot be nullable when x-kubernetes-list-type is map')]
      : []),
    ...(items['type'] === 'object' && keys.some(key => properties[key] === undefined)
      ? [cause(keysPath, 'Invalid value', 'entries must all be names of item properties', keys)]
      : []),
    ...keys.flatMap(key => keyProblem(key, items, { schema: properties[key], path: `${path}.items` })),
  ];
}

function keyProblem(
  key: string,
  items: JsonObject,
  { schema, path }: { readonly schema: unknown; readonly path: string },
): readonly StatusCause[] {
  if (!isJsonObject(schema)) {
    return [];
  }
  const at = `${path}.properties[${key}]`;
  const required = Array.isArray(items['required']) && items['required'].includes(key);
  const why = 'this property is in x-kubernetes-list-map-keys, so it';
  const isScalar = schema['type'] !== 'object' && schema['type'] !== 'array';
  const whyScalar = "must be a scalar type if parent array's x-kubernetes-list-type is map";
  return [
    ...(isScalar ? [] : [cause(`${at}.type`, 'Invalid value', whyScalar, schema['type'])]),
    ...(required || schema['default'] !== undefined
      ? []
      : [cause(`${at}.default`, 'Required value', `${why} must have a default or be a required property`)]),
    ...(schema['nullable'] === true ? [cause(`${at}.nullable`, 'Forbidden', `${why} cannot be nullable`)] : []),
  ];
}
