// Selects the objects of a list or watch.
import { memberOf } from '@capi-serverless/apimachinery';
import type { ResourceEndpoint, SelectableField } from './kinds.ts';
import type { Stored } from './object.ts';
import { badRequest } from './status.ts';

export interface Selection {
  /** The namespace. Absent means all namespaces. */
  readonly namespace?: string;
  /** The labels. Absent means all objects. */
  readonly matches?: (object: Stored) => boolean;
}

/** Selects objects that have all of these labels. */
export function hasLabels(labels: Readonly<Record<string, string>>): (object: Stored) => boolean {
  const wanted = Object.entries(labels);
  return object => wanted.every(([key, value]) => object.metadata.labels?.[key] === value);
}

/** Selects objects that have all of these label keys. */
export function hasLabelKeys(keys: readonly string[]): (object: Stored) => boolean {
  return object => keys.every(key => object.metadata.labels?.[key] !== undefined);
}

/**
 * Selects objects whose fields have these values. An absent field equals "". Throws BadRequest for a field that this
 * kind does not support.
 */
export function hasFields(
  fields: Readonly<Record<string, string>>,
  endpoint: ResourceEndpoint,
): (object: Stored) => boolean {
  const wanted = Object.entries(fields).map(([field, value]) => ({ textOf: textOfField(field, endpoint), value }));
  return object => wanted.every(({ textOf, value }) => textOf(object) === value);
}

/** Returns the text of a field of a stored object. Throws BadRequest for a field that this kind does not support. */
export function textOfField(field: string, { resource, version }: ResourceEndpoint): (object: Stored) => string {
  const { selectableFields = {} } = version;
  const own = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
  const general =
    field === 'metadata.name' || (resource.namespaced && field === 'metadata.namespace') ? field.split('.') : undefined;
  const place = own ?? general;
  if (place === undefined) {
    throw badRequest(`field label not supported: ${field.slice(0, 200)}`);
  }
  return object => textIn(object, place);
}

function textIn(object: Stored, place: SelectableField): string {
  const paths = 'anyOf' in place ? place.anyOf : [place];
  return paths.map(path => textAt(object, path)).find(text => text !== '') ?? '';
}

function textAt(object: Stored, path: readonly string[]): string {
  const value = path.reduce<unknown>((parent, member) => memberOf(parent, member), object);
  return value === undefined || value === null ? '' : String(value);
}

export function isSelected(object: Stored, selection: Selection): boolean {
  const inNamespace = selection.namespace === undefined || object.metadata.namespace === selection.namespace;
  return inNamespace && (selection.matches === undefined || selection.matches(object));
}
