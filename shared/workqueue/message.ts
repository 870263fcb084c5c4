// The message on a work queue: a request with a key and routing data. Never an object, a diff or a Secret.

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** Names one object of one management cluster; its text form is `managementCluster/group/Kind/namespace/name`. */
export interface Key {
  readonly managementCluster: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const segment = z.string().check(z.maxLength(253), z.regex(/^[^/]*$/));
const filledSegment = segment.check(z.minLength(1));

const keySchema = z.object({
  managementCluster: filledSegment,
  group: segment,
  kind: filledSegment,
  namespace: segment,
  name: filledSegment,
});

/** Why a request was sent. 'event': the changes are known. Every other cause only requests a reconcile. */
export const causes = ['event', 'list', 'resync', 'expand', 'timer', 'again', 'manual', 'deletion'] as const;

/** 'other': a cause of a later version. It is never sent. */
export type Cause = (typeof causes)[number] | 'other';

/** A request names at most this many sources. */
export const maxSources = 20;

/** The last source of a request with more changes than it lists. */
export const manySources = 'many';

/**
 * The schema version that this code writes. It reads this version and the previous one. In both, it accepts fields and
 * causes that were added later (docs/decisions/0007-message-schema.md).
 */
export const messageVersion = 1;

const tolerantCause = z.pipe(
  z.string().check(z.maxLength(63)),
  z.transform((text): Cause => causes.find(cause => cause === text) ?? 'other'),
);

const requestSchema = z.object({
  v: z.literal(messageVersion),
  /** The declaration name of the reconciler that serves the request. */
  reconciler: filledSegment,
  key: keySchema,
  cause: tolerantCause,
  /** Consecutive failed tries before this one. */
  attempt: z.int().check(z.gte(0)),
  /** For timers: milliseconds since the epoch, on the timer grid. */
  due: z.optional(z.int()),
  /** The changes, as `uid@resourceVersion`; at most 20, then "many". */
  sources: z.optional(z.array(z.string().check(z.maxLength(120))).check(z.maxLength(maxSources + 1))),
  /** Identifies one change across events, queues and logs. */
  trace: z.string().check(z.maxLength(64)),
});

export type Request = z.infer<typeof requestSchema>;

export class MessageError extends Error {
  override readonly name = 'MessageError';
}

/** Parses the body of a work or delay queue message. Throws a MessageError that names the field, never quotes the body. */
export function parseRequest(body: string): Request {
  return parseBody(body, { schema: requestSchema, version: messageVersion });
}

/** Parses a JSON body with that schema, up to that version. Throws as `parseRequest` does. */
export function parseBody<Schema extends z.ZodMiniType>(
  body: string,
  { schema, version }: { readonly schema: Schema; readonly version: number },
): z.infer<Schema> {
  const json = parseJson(body);
  const written = typeof json === 'object' && json !== null && 'v' in json ? json.v : undefined;
  if (typeof written === 'number' && written > version) {
    throw new MessageError(
      `Message has schema version ${written}, this function reads ${version}: update it, then redrive the dead letters`,
    );
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) {
    return parsed.data;
  }
  throw new MessageError(`Message is not valid: ${toSchemaProblem(parsed.error)}`);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Without `cause`, because the parser's error quotes the text.
    throw new MessageError('Message body is not JSON');
  }
}

export function toBody(request: Request): string {
  return JSON.stringify(request);
}

export function toKeyText(key: Key): string {
  return `${key.managementCluster}/${key.group}/${key.kind}/${key.namespace}/${key.name}`;
}
