// How a failed request of the SDK itself ends a reconcile: it is tried again, and the error names the object.
import type { ApiFailure } from '../api/answer.ts';
import { toDisplayName, type Unstructured } from '../api/object.ts';
import { RetryableError } from '../kernel/errors.ts';
import type { Result } from '../kernel/types.ts';

export type Failed = Extract<Result, { kind: 'failed' }>;

export function failedBy(what: string, { message, retryAfterMs }: ApiFailure): Failed {
  const delay = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: 'failed', error: new RetryableError(`${what}: ${message}`, delay), terminal: false };
}

/** `Kind ns/name`. */
export function describe(object: Unstructured): string {
  return `${object.kind} ${toDisplayName(object.metadata)}`;
}
