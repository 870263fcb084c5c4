// What a schema does to an object before it is validated: members it does not know are dropped, nulls where none may be
// are dropped too, and defaults come in. What needs no change is returned as it is, not as a copy.
import { decodeMetadata } from '../decode.ts';
import { isObject, type JsonObject, sameJson } from '../json.ts';
import { StatusError } from '../status.ts';
import type { SchemaNode } from './node.ts';

/** Told the dotted path of every member that is dropped because the schema does not know it. */
export type OnUnknown = (path: string) => void;

/** Root objects and embedded ones keep these whatever the schema says. */
const objectMembers: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** The members of a root object in the shape of its schema; `metadata` is not looked at. */
export function shapeRoot(
  object: JsonObject,
  schema: SchemaNode,
  onUnknown?: OnUnknown,
  nulls: Nulls = 'drop nulls',
): JsonObject {
  return setDefaults(pruneObject(object, schema, { path: '', root: true, onUnknown }), schema, { root: true, nulls });
}

/** What happens to a null where none may be and no default takes its place. */
type Nulls = 'drop nulls' | 'keep nulls';

interface Place {
  readonly path: string;
  readonly root: boolean;
  readonly onUnknown: OnUnknown | undefined;
}

function at(place: Place, part: string): Place {
  return { path: place.path === '' ? part : `${place.path}.${part}`, root: false, onUnknown: place.onUnknown };
}

function prune(value: unknown, schema: SchemaNode, place: Place): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : mapItems(value, (item, index) => prune(item, items, { ...place, path: `${place.path}[${index}]` }));
  }
  return isObject(value) ? pruneObject(value, schema, place) : value;
}

function pruneObject(object: JsonObject, schema: SchemaNode, place: Place): JsonObject {
  return mapMembers(object, (value, key) => {
    if (place.root && objectMembers.includes(key)) {
      return value;
    }
    if (schema.embedded && objectMembers.includes(key)) {
      return key === 'metadata' ? pruneMetadata(value, at(place, key)) : value;
    }
    const known = schema.properties.get(key) ?? schema.additional;
    if (known !== undefined) {
      return known === 'any' ? value : prune(value, known, at(place, key));
    }
    if (schema.preserveUnknown) {
      return value;
    }
    place.onUnknown?.(at(place, key).path);
    return undefined;
  });
}

/** Of an embedded object: what no metadata has goes, whatever the schema says, and so does what is empty. */
function pruneMetadata(metadata: unknown, place: Place): unknown {
  try {
    const decoded = decodeMetadata(metadata, path =>
      place.onUnknown?.(`${place.path}${path.slice('metadata'.length)}`),
    );
    return sameJson(decoded, metadata) ? metadata : decoded;
  } catch (error) {
    if (error instanceof StatusError) {
      // Of another type: left to the validation.
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
  return isObject(value) ? setDefaults(value, schema, { root: false, nulls }) : value;
}

/** Parents first: a default that is an object gets the defaults below it. */
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

/** A copy with changed members, without those that become undefined; the object itself when none changes. */
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
