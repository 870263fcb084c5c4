// The result of a reconcile after a failed request of the SDK. It is retried, and the error contains the object.
import { type ApiFailure, toDisplayName, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { type Result, RetryableError } from '@capi-serverless/reconciler';

export type Failed = Extract<Result, { kind: 'failed' }>;

export function failedBy(what: string, { message, retryAfterMs }: ApiFailure): Failed {
  const delay = withoutUndefined({ retryAfterMs });
  return { kind: 'failed', error: new RetryableError(`${what}: ${message}`, delay), terminal: false };
}

/** Returns `Kind ns/name`. */
export function describe(object: Unstructured): string {
  return `${object.kind} ${toDisplayName(object.metadata)}`;
}
