// Checks whether an intent can be merged: known fields, correct types, and list items with distinct keys.
import { isJsonObject } from '@capi-serverless/apimachinery';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { isElement, itemElement } from './value-shape.ts';

/** Returns each mismatch with its path. */
export function typeProblems(type: MergeType, value: unknown, path = ''): readonly string[] {
  if (value === null || value === undefined) {
    return [];
  }
  if (Array.isArray(value)) {
    return type.list === undefined ? [misfit(type, value, path)] : problemsOfItems(type.list, value, path);
  }
  if (isJsonObject(value)) {
    return type.map === undefined ? [misfit(type, value, path)] : problemsOfMembers(type.map, value, path);
  }
  return fitsScalar(type, value) ? [] : [misfit(type, value, path)];
}

function fitsScalar({ scalar }: MergeType, value: unknown): boolean {
  return scalar === 'any' || (scalar !== undefined && typeof value === scalar);
}

function misfit({ map, scalar, list }: MergeType, value: unknown, path: string): string {
  const expected = map !== undefined ? 'map' : list !== undefined ? 'list' : scalar === 'any' ? 'any scalar' : scalar;
  const got = Array.isArray(value) ? 'list' : isJsonObject(value) ? 'map' : typeof value;
  return `${path}: expected ${expected ?? 'nothing'}, got ${got}`;
}

function problemsOfMembers(type: MapType, members: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const known = type.fields.get(name) ?? type.rest;
    const at = `${path}.${name}`;
    return known === undefined ? [`${at}: field not declared in schema`] : typeProblems(known, member, at);
  });
}

function problemsOfItems(type: ListType, items: readonly unknown[], path: string): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const at = `${path}[${index}]`;
    if (type.merge === 'atomic') {
      return typeProblems(type.items, item, at);
    }
    const element = itemElement(type, item);
    if (!isElement(element)) {
      return [`${path}: element ${index}: ${element.slice(1)}`];
    }
    const isDuplicate = seen.has(element);
    seen.add(element);
    return [
      ...(isDuplicate ? [`${path}: duplicate entries for key ${element.slice(2)}`] : []),
      ...typeProblems(type.items, item, at),
    ];
  });
}
