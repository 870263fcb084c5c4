// The answer of a webhook in a form in which two implementations can be compared.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { JsonDocument, perform, readOperations } from '@capi-serverless/apimachinery/json-patch';
import * as z from 'zod/mini';

const causeSchema = z.object({ reason: z.string(), field: z._default(z.string(), ''), message: z.string() });

const responseSchema = z.object({
  uid: z.string(),
  allowed: z.boolean(),
  status: z.object({
    code: z.number(),
    status: z.optional(z.string()),
    reason: z.optional(z.string()),
    message: z.optional(z.string()),
    details: z.optional(
      z.object({
        name: z.optional(z.string()),
        group: z.optional(z.string()),
        kind: z.optional(z.string()),
        causes: z.optional(z.array(causeSchema)),
      }),
    ),
  }),
  patch: z.optional(z.string()),
  patchType: z.optional(z.string()),
  warnings: z.optional(z.array(z.string())),
});

export interface ComparableAnswer {
  readonly allowed: boolean;
  readonly code: number;
  /** The object with its defaults. Absent: the object is refused. */
  readonly object?: JsonObject;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly details?: unknown;
  /** `field: reason: message`, sorted. */
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
}

/** The comparison of two specs has no fixed form. */
const difference = /( spec is immutable\. Diff: ).*/s;

/**
 * Upstream walks labels and annotations in random order. Therefore causes are sorted, and a message with several causes is
 * compared by its start and its length. `object` is the object of the review.
 */
export function toComparable(response: unknown, object: JsonObject): ComparableAnswer {
  const { allowed, status, patch, warnings = [] } = responseSchema.parse(response);
  const { code, reason, message, details } = status;
  const { causes = [], ...of } = details ?? {};
  const sorted = causes.map(cause => `${cause.field}: ${cause.reason}: ${cause.message}`).toSorted();
  return {
    ...{ allowed, code, causes: sorted, warnings },
    ...(allowed ? { object: withoutEmptyMetadata(patched(object, patch)) } : {}),
    ...(allowed ? {} : { reason, details: details && of, message: toMessage(message ?? '', sorted.length) }),
  };
}

function toMessage(message: string, causes: number): string {
  return causes > 1
    ? `${/^.*? is invalid: /.exec(message)?.[0]}${message.length} characters`
    : message.replace(difference, '$1');
}

/** Returns the object of the review with the patch of the answer. */
export function patched(object: JsonObject, patch: string | undefined): JsonObject {
  if (patch === undefined) {
    return object;
  }
  const operations = readOperations(Buffer.from(patch, 'base64').toString('utf8'));
  if (!operations.ok) {
    throw new Error(`A patch cannot be read: ${operations.error}`);
  }
  const document = new JsonDocument(object);
  for (const operation of operations.value) {
    perform(document, operation);
  }
  return document.share();
}

/** Upstream writes an empty metadata of a template, which the schema then refuses. */
function withoutEmptyMetadata(object: JsonObject): JsonObject {
  const spec = Object(object['spec']);
  const template = Object(spec.template);
  const isEmpty = template.metadata !== undefined && Object.keys(template.metadata).length === 0;
  const { metadata: _, ...others } = template;
  return isEmpty ? { ...object, spec: { ...spec, template: others } } : object;
}
