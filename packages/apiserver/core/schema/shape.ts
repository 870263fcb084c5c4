// Applies a schema to an object before validation. It drops unknown members and invalid nulls, and sets defaults. If
// nothing changes, the same value is returned instead of a copy.

import { isJsonObject, type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { decodeMetadata, type OnUnknown } from '../decode-metadata.ts';
import { StatusError } from '../status.ts';
import type { SchemaNode } from './node.ts';

/** Root objects and embedded objects keep these members, regardless of the schema. */
const objectMembers: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Returns the members of a root object according to its schema. `metadata` is ignored. */
export function shapeRoot(
  object: JsonObject,
  schema: SchemaNode,
  onUnknown?: OnUnknown,
  nulls: Nulls = 'drop nulls',
): JsonObject {
  return setDefaults(pruneObject(object, schema, { path: '', root: true, onUnknown }), schema, { root: true, nulls });
}

/** The treatment of an invalid null without a default. */
type Nulls = 'drop nulls' | 'keep nulls';

interface ShapedMember {
  readonly path: string;
  readonly root: boolean;
  readonly onUnknown: OnUnknown | undefined;
}

function at(member: ShapedMember, part: string): ShapedMember {
  return { path: member.path === '' ? part : `${member.path}.${part}`, root: false, onUnknown: member.onUnknown };
}

function prune(value: unknown, schema: SchemaNode, member: ShapedMember): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : mapItems(value, (item, index) => prune(item, items, { ...member, path: `${member.path}[${index}]` }));
  }
  return isJsonObject(value) ? pruneObject(value, schema, member) : value;
}

function pruneObject(object: JsonObject, schema: SchemaNode, member: ShapedMember): JsonObject {
  return mapMembers(object, (value, key) => {
    if (member.root && objectMembers.includes(key)) {
      return value;
    }
    if (schema.embedded && objectMembers.includes(key)) {
      return key === 'metadata' ? pruneMetadata(value, at(member, key)) : value;
    }
    const known = schema.properties.get(key) ?? schema.additional;
    if (known !== undefined) {
      return known === 'any' ? value : prune(value, known, at(member, key));
    }
    if (schema.preserveUnknown) {
      return value;
    }
    member.onUnknown?.(at(member, key).path);
    return undefined;
  });
}

/** The metadata of an embedded object. Unknown and empty members are dropped, regardless of the schema. */
function pruneMetadata(metadata: unknown, member: ShapedMember): unknown {
  try {
    const decoded = decodeMetadata(metadata, path =>
      member.onUnknown?.(`${member.path}${path.slice('metadata'.length)}`),
    );
    return sameJson(decoded, metadata) ? metadata : decoded;
  } catch (error) {
    if (error instanceof StatusError) {
      // The validation reports a value of another type.
      return metadata;
    }
    throw error;
  }
}

function withDefaults(value: unknown, schema: SchemaNode, nulls: Nulls): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : mapItems(value, item => withDefaults(item, items, nulls));
  }
  return isJsonObject(value) ? setDefaults(value, schema, { root: false, nulls }) : value;
}

/** Defaults of parents are set first, so that a default object gets the defaults below it. */
function setDefaults(
  object: JsonObject,
  schema: SchemaNode,
  { root, nulls }: { readonly root: boolean; readonly nulls: Nulls },
): JsonObject {
  const missing = [...schema.properties].filter(
    ([key, property]) => property.default !== undefined && object[key] === undefined,
  );
  const added = Object.fromEntries(missing.map(([key, property]) => [key, property.default]));
  const kept = nulls === 'keep nulls' ? null : undefined;
  const complete = missing.length === 0 ? object : { ...object, ...added };
  return mapMembers(complete, (value, key) => {
    const known = schema.properties.get(key) ?? schema.additional;
    if (known === undefined || known === 'any' || (root && objectMembers.includes(key))) {
      return value;
    }
    const present = value === null && !known.nullable ? (known.default ?? kept) : value;
    return withDefaults(present, known, nulls);
  });
}

/** Returns a copy with changed members and without undefined ones, or the same object if nothing changes. */
function mapMembers(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  let changed = false;
  const members: [string, unknown][] = [];
  for (const [key, value] of Object.entries(object)) {
    const next = change(value, key);
    changed ||= next !== value;
    if (next !== undefined) {
      members.push([key, next]);
    }
  }
  return changed ? Object.fromEntries(members) : object;
}

function mapItems(items: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  const next = items.map(change);
  return next.some((item, index) => item !== items[index]) ? next : items;
}
