// The message on the expand queue. It contains a source whose primaries can only be found by a list.

import type { ObjectRef } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { parseBody } from './message.ts';

/** The schema version that this code writes for expansions. The compatibility rules of message.ts apply. */
export const expansionVersion = 1;

const filled = z.string().check(z.minLength(1), z.maxLength(253));

const expansionSchema = z.object({
  v: z.literal(expansionVersion),
  /** The declaration name of the reconciler whose primaries are listed. */
  reconciler: filled,
  /** The object that changed. */
  source: z.object({
    apiVersion: filled,
    kind: filled,
    namespace: z.exactOptional(z.string().check(z.maxLength(253))),
    name: z.exactOptional(filled),
  }),
  trace: z.string().check(z.maxLength(64)),
  /** The cause of the requests to send. Default: `expand`. */
  cause: z.exactOptional(z.literal('resync')),
  /** Consecutive failed tries before this one. Default 0. */
  attempt: z.exactOptional(z.int().check(z.gte(0))),
});

/**
 * A reference to a source. Without a name, it means any object of this kind. `kind` can also be the plural, lower-case
 * resource name. Compare it with `isKind` of @capi-serverless/apimachinery.
 */
export type SourceRef = Omit<ObjectRef, 'name'> & { readonly name?: string };

export interface Expansion {
  readonly v: typeof expansionVersion;
  readonly reconciler: string;
  readonly source: SourceRef;
  readonly trace: string;
  readonly cause?: 'resync';
  readonly attempt?: number;
}

/** Parses the body of an expand queue message. Throws a MessageError that names the field and never quotes the body. */
export function parseExpansion(body: string): Expansion {
  return parseBody(body, { schema: expansionSchema, version: expansionVersion });
}

/** Returns the body for another try. Fields that only a later version reads are kept. */
export function toRetriedBody(body: string, attempt: number): string {
  return JSON.stringify({ ...JSON.parse(body), attempt });
}
