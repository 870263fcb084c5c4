// The message on the expand queue: a source whose primaries only a listing can tell.
import * as z from 'zod/mini';
import type { ObjectRef } from '../api/object.ts';
import { parseBody } from './message.ts';

/** The schema version of expansions that this code writes; the rules of requests hold (message.ts). */
export const expansionVersion = 1;

const filled = z.string().check(z.minLength(1), z.maxLength(253));

const expansionSchema = z.object({
  v: z.literal(expansionVersion),
  /** The reconciler whose primaries shall be selected: its declaration's name. */
  reconciler: filled,
  /** What changed. */
  source: z.object({
    apiVersion: filled,
    kind: filled,
    namespace: z.exactOptional(z.string().check(z.maxLength(253))),
    name: z.exactOptional(filled),
  }),
  trace: z.string().check(z.maxLength(64)),
});

/**
 * A source, as far as it is known. Without a name it is some object of that kind; `kind` is the plural, lower-case resource
 * name where only that is known (`isKind` of shared/names tells whether it means a given kind).
 */
export type SourceRef = Omit<ObjectRef, 'name'> & { readonly name?: string };

export interface Expansion {
  readonly v: typeof expansionVersion;
  readonly reconciler: string;
  readonly source: SourceRef;
  readonly trace: string;
}

/** Reads an expand queue message's body. Throws MessageError that names the field; never quotes the body. */
export function parseExpansion(body: string): Expansion {
  return parseBody(body, { schema: expansionSchema, version: expansionVersion });
}
