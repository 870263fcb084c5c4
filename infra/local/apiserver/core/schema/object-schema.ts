// The schema of one version of a kind, as the write and read paths use it.
import { deepFreeze, type JsonObject } from '../json.ts';
import type { Cause } from '../status.ts';
import { parseSchema } from './node.ts';
import { type OnUnknown, shapeRoot } from './shape.ts';
import { problemsOfRoot } from './validate.ts';

export interface ObjectSchema {
  /** Without unknown members and illegal nulls, with defaults. */
  shape<T extends JsonObject>(object: T, onUnknown?: OnUnknown): T;
  /** The same for a stored object, frozen and remembered. */
  shown<T extends JsonObject>(object: T): T;
  /** Every violation; `only` limits the check to one member of the root. */
  problems(object: JsonObject, only?: string): readonly Cause[];
}

/** Throws SchemaError when the schema cannot be used. `path` leads to it within its definition. */
export function createObjectSchema(raw: unknown, path: string): ObjectSchema {
  const schema = parseSchema(raw, path);
  const remembered = new WeakMap<JsonObject, JsonObject>();
  return {
    // True: shaping keeps apiVersion, kind and metadata, and T promises nothing about the types of other members.
    shape: <T extends JsonObject>(object: T, onUnknown?: OnUnknown) => shapeRoot(object, schema, onUnknown) as T,
    shown: <T extends JsonObject>(object: T) => {
      const known = remembered.get(object);
      const shown = known ?? deepFreeze(shapeRoot(object, schema));
      remembered.set(object, shown);
      // True: for the same reason.
      return shown as T;
    },
    problems: (object, only) => problemsOfRoot(object, schema, only),
  };
}
