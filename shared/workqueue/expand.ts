// The message on the expand queue: a source whose primaries only a listing can tell.
import * as z from 'zod/mini';
import type { ObjectRef } from '../api/object.ts';
import { parseBody } from './message.ts';

/** The newest schema version of expansions that this code writes. */
export const expansionVersion = 1;

const filled = z.string().check(z.minLength(1), z.maxLength(253));

const expansionSchema = z.object({
  v: z.literal(expansionVersion),
  /** The reconciler whose primaries shall be selected: its declaration's name. */
  reconciler: filled,
  /** The object that changed. */
  source: z.object({
    apiVersion: filled,
    kind: filled,
    namespace: z.exactOptional(z.string().check(z.maxLength(253))),
    name: filled,
  }),
  trace: z.string().check(z.maxLength(64)),
});

export interface Expansion {
  readonly v: typeof expansionVersion;
  readonly reconciler: string;
  readonly source: ObjectRef;
  readonly trace: string;
}

/** Reads an expand queue message's body. Throws MessageError that names the field; never quotes the body. */
export function parseExpansion(body: string): Expansion {
  return parseBody(expansionSchema, body);
}
