// Reads AdmissionReviews and writes their answers. Pure.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-request-and-response
import type { JsonPatchOperation } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { DenialStatus } from '../../shared/admission/denial-status.ts';

export const reviewApiVersion = 'admission.k8s.io/v1';

const text = z._default(z.string(), '');
const longestId = 253;

/** Objects are not validated here. They are absent, null or any JSON value. */
const requestSchema = z.object({
  uid: z.string().check(z.minLength(1), z.maxLength(longestId)),
  operation: text,
  name: text,
  namespace: text,
  userInfo: z._default(z.object({ username: text }), { username: '' }),
  object: z.optional(z.unknown()),
  oldObject: z.optional(z.unknown()),
});

const reviewSchema = z.object({
  apiVersion: z.literal(reviewApiVersion),
  kind: z.literal('AdmissionReview'),
  request: requestSchema,
});

export type ReviewRequest = z.infer<typeof requestSchema>;

/** The decision about a write. */
export type ReviewDecision =
  | {
      readonly allowed: true;
      /** The changes of a default hook. */
      readonly patch?: readonly JsonPatchOperation[];
      readonly warnings?: readonly string[];
    }
  | { readonly allowed: false; readonly status: DenialStatus; readonly warnings?: readonly string[] };

/** Returns `undefined` if the value is no review of this version. */
export function parseReview(value: unknown): ReviewRequest | undefined {
  return reviewSchema.safeParse(value).data?.request;
}

/** Returns the body of the answer. An empty patch is omitted. */
export function toReviewAnswer(uid: string, decision: ReviewDecision): object {
  const { allowed, warnings = [] } = decision;
  return {
    apiVersion: reviewApiVersion,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed,
      status: allowed ? { metadata: {}, code: 200 } : { metadata: {}, ...decision.status },
      ...(allowed ? toPatch(decision.patch ?? []) : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

function toPatch(operations: readonly JsonPatchOperation[]): object {
  return operations.length === 0
    ? {}
    : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
