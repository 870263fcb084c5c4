// The common parts of the kinds that are served without a CustomResourceDefinition.
import type { Resource, SelectableField, ServedVersion } from './kinds.ts';
import { createObjectSchema } from './schema/object-schema.ts';

const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The schema of kinds whose spec and status are not checked. */
export const freeSchema = { type: 'object', properties: { spec: free, status: free } };

/** The names of a built-in kind for users. */
export function namesOf(
  kind: string,
  { shortNames = [], categories = [] }: Partial<Pick<Resource['names'], 'shortNames' | 'categories'>> = {},
): Resource['names'] {
  return { singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames, categories };
}

/** A `v1` endpoint without subresources. In a list of fields, each field is its own path. */
export function plainVersion(
  schema: object,
  fields: readonly string[] | Readonly<Record<string, SelectableField>> = [],
): readonly [ServedVersion] {
  const selectableFields = isList(fields) ? Object.fromEntries(fields.map(field => [field, field.split('.')])) : fields;
  return [{ name: 'v1', status: false, schema: createObjectSchema(schema, 'v1'), openApi: schema, selectableFields }];
}

function isList<T extends object>(value: readonly string[] | T): value is readonly string[] {
  return Array.isArray(value);
}

/** The defaults of a built-in kind: core group, namespaced, without subresources. */
export function coreKind(kind: string, plural: string, change: Partial<Resource>): Resource {
  return {
    group: '',
    kind,
    plural,
    names: namesOf(kind),
    namespaced: true,
    versions: [{ name: 'v1', status: false }],
    storageVersion: 'v1',
    custom: false,
    countsGeneration: false,
    unconditionalUpdate: true,
    collectionDeletable: true,
    nameRule: 'subdomain',
    terminating: false,
    strategy: {},
    ...change,
  };
}
