// The message on a work queue: a request with a key and routing data. It never contains an object, a diff or a Secret.

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** Identifies one object of one management cluster. The text form is `managementCluster/group/Kind/namespace/name`. */
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

/** The reason why a request was sent. 'event': the changes are known. All other causes only request a reconcile. */
export const causes = ['event', 'list', 'resync', 'expand', 'timer', 'again', 'manual', 'deletion'] as const;

/** 'other' is a cause of a later version. It is never sent. */
export type MessageCause = (typeof causes)[number] | 'other';

/** The maximum number of sources in a request. */
export const maxSources = 20;

/** The last source of a request that has more changes than it lists. */
export const manySources = 'many';

/**
 * The schema version that this code writes. It reads this version and the previous one. In both, it accepts fields and
 * causes that were added later (docs/decisions/0007-message-schema.md).
 */
export const messageVersion = 1;

const tolerantCause = z.pipe(
  z.string().check(z.maxLength(63)),
  z.transform((text): MessageCause => causes.find(cause => cause === text) ?? 'other'),
);

/**
 * How a request is reconciled whose process died with it: alone, with half of the limits or with all of them
 * (docs/decisions/0067-attributed-deaths.md).
 */
export const trialLimits = ['half', 'full'] as const;

export type TrialLimits = (typeof trialLimits)[number];

const requestSchema = z.object({
  v: z.literal(messageVersion),
  /** The declaration name of the reconciler for the request. */
  reconciler: filledSegment,
  key: keySchema,
  cause: tolerantCause,
  /** The number of consecutive failed tries before this one. */
  attempt: z.int().check(z.gte(0)),
  /** The due time of a timer in milliseconds since the epoch, on the timer grid. */
  due: z.optional(z.int()),
  /** The changes in the form `uid@resourceVersion`. At most 20, then "many". */
  sources: z.optional(z.array(z.string().check(z.maxLength(120))).check(z.maxLength(maxSources + 1))),
  /** Present after a process died while it had this request. */
  trial: z.optional(z.enum(trialLimits)),
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

/** Parses a JSON body with this schema, up to this version. Throws like `parseRequest`. */
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
    // The error has no `cause`, because the parser's error quotes the text.
    throw new MessageError('Message body is not JSON');
  }
}

export function toBody(request: Request): string {
  return JSON.stringify(request);
}

export function toKeyText(key: Key): string {
  return `${key.managementCluster}/${key.group}/${key.kind}/${key.namespace}/${key.name}`;
}
