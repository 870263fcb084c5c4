// Fields of nested structs by path.
import { isJsonObject, memberOf } from '@capi-serverless/apimachinery';
import type { Struct } from './codec.ts';

/** Returns the value at a path of fields, or `undefined`. */
export function valueAtPath(struct: unknown, path: readonly string[]): unknown {
  return path.reduce((value, field) => memberOf(value, field), struct);
}

/** Returns the struct with a value at a path of fields. Structs on the way are created. */
export function withPath(struct: Struct, [first = '', ...rest]: readonly string[], value: unknown): Struct {
  const inner = struct[first];
  return { ...struct, [first]: rest.length === 0 ? value : withPath(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** Returns the struct without the field. A struct that has no other field becomes absent. */
export function withoutPath(struct: Struct, [first = '', ...rest]: readonly string[]): Struct {
  const inner = struct[first];
  const { [first]: _, ...others } = struct;
  if (rest.length === 0 || !isJsonObject(inner)) {
    return rest.length === 0 ? others : struct;
  }
  const remaining = withoutPath(inner, rest);
  return Object.keys(remaining).length === 0 ? others : { ...struct, [first]: remaining };
}

/** Returns the rest of a path below another path, or `undefined`. */
export function pathBelow(path: readonly string[], above: readonly string[]): readonly string[] | undefined {
  return path.length > above.length && above.every((field, at) => field === path[at])
    ? path.slice(above.length)
    : undefined;
}
