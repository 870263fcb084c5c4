// What the API server answered, as data: expected failures are values, never exceptions.

/**
 * Why a request did not do what was asked, mapped once in the REST adapter.
 * `UnknownOutcome`: a write was sent and no answer came back; it may have happened.
 * `Aborted`: the deadline passed before an answer came to a request that changes nothing.
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
  /** HTTP status code; absent when no answer came. */
  readonly code?: number;
  /** The server's message, or what happened on the way to it. Never holds a token or Secret content. */
  readonly message: string;
  /** A 404 that names no object: the kind is not served, for the moment or at all. It says nothing about objects. */
  readonly notServed?: true;
  /** From Retry-After, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The server's `details.causes`, as `field: message`. */
  readonly causes?: readonly string[];
  /** What the server's `details` name, where they name a kind or a resource. */
  readonly details?: FailureDetails;
}

export interface FailureDetails {
  readonly kind: string;
  readonly group: string;
  readonly causes: readonly { readonly type: string; readonly field: string; readonly message: string }[];
}

/** `missing` is true exactly when the server said that the object itself does not exist (404). */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly missing: boolean; readonly failure: ApiFailure };

export function answered<T>(value: T): Answer<T> {
  return { ok: true, value };
}

export function refused<T = never>(failure: ApiFailure): Answer<T> {
  return { ok: false, missing: failure.reason === 'NotFound' && failure.notServed !== true, failure };
}
