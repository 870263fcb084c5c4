// Responses of the API server as data: expected failures are values, never exceptions.

/**
 * Why a request failed, mapped once in the REST adapter.
 * `UnknownOutcome`: a write was sent and no response arrived; it may have happened.
 * `Aborted`: the deadline passed before the response to a read arrived.
 */
export type FailureReason =
  | 'NotFound'
  | 'Conflict'
  | 'AlreadyExists'
  | 'Invalid'
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'Gone'
  | 'TooManyRequests'
  | 'UnsupportedMediaType'
  | 'Unavailable'
  | 'InternalError'
  | 'UnknownOutcome'
  | 'Aborted'
  | 'Unparsable';

export interface ApiFailure {
  readonly reason: FailureReason;
  /** HTTP status code; absent without a response. */
  readonly code?: number;
  /** The server's message, or the transport error. Never holds a token or Secret content. */
  readonly message: string;
  /** A 404 that names no object: the kind is not served, at least for now. The object may exist. */
  readonly notServed?: true;
  /** From Retry-After, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The server's `details.causes` as `field: message`. */
  readonly causes?: readonly string[];
  /** The kind or resource in the server's `details`. */
  readonly details?: FailureDetails;
}

export interface FailureDetails {
  readonly kind: string;
  readonly group: string;
  readonly causes: readonly { readonly type: string; readonly field: string; readonly message: string }[];
}

/** `missing` is true exactly when the server reports that the object does not exist (404). */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly missing: boolean; readonly failure: ApiFailure };

export function answered<T>(value: T): Answer<T> {
  return { ok: true, value };
}

export function refused<T = never>(failure: ApiFailure): Answer<T> {
  return { ok: false, missing: failure.reason === 'NotFound' && failure.notServed !== true, failure };
}
