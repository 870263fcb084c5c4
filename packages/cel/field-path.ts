// The `fieldPath` of a rule: `.a.b` or `['a-b'].c`, but never an item of a list.
import { childPath, keyPath } from './problem.ts';
import { membersOf, type StructuralSchema, valuesOf } from './schema.ts';

const part = /\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Returns the suffix for the path of the value, or undefined if it is not a field of the schema. */
export function parseFieldPath(text: string, schema: StructuralSchema): string | undefined {
  let at = 0;
  let path = '';
  let place: StructuralSchema = schema;
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('[') === trimmed.startsWith('.')) {
    return undefined;
  }
  while (at < trimmed.length) {
    part.lastIndex = at;
    const match = part.exec(trimmed);
    const name = match?.slice(1).find(each => each !== undefined);
    if (match === null || name === undefined) {
      return undefined;
    }
    const key = name.replace(/\\(.)/g, '$1');
    const member: StructuralSchema | undefined = new Map(membersOf(place)).get(key);
    const next: StructuralSchema | undefined = member ?? valuesOf(place);
    if (next === undefined) {
      return undefined;
    }
    path = member === undefined ? keyPath(path, key) : childPath(path, key);
    place = next;
    at += match[0].length;
  }
  return path;
}
