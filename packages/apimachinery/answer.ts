// Responses of the API server as data: expected failures are values, never exceptions.

/**
 * The reason why a request failed. The REST adapter maps it once. `UnknownOutcome`: a write was sent and no response
 * arrived, so it may have been executed. `Aborted`: the deadline passed before the response to a read arrived.
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
  /** The HTTP status code. Absent without a response. */
  readonly code?: number;
  /** The message of the server, or the transport error. Never contains a token or Secret content. */
  readonly message: string;
  /** A 404 without an object name: the kind is not served at the moment. The object may exist. */
  readonly notServed?: true;
  /** The request was not sent, because an earlier one to the same server failed just before. */
  readonly notSent?: true;
  /** The answer had more bytes or values than are read. A list with a smaller limit may succeed. */
  readonly tooLarge?: true;
  /** The Retry-After header in milliseconds. */
  readonly retryAfterMs?: number;
  /** The server's `details.causes` in the form `field: message`. */
  readonly causes?: readonly string[];
  /** The kind or resource in the server's `details`. */
  readonly details?: FailureDetails;
}

export interface FailureDetails {
  readonly kind: string;
  readonly group: string;
  readonly causes: readonly { readonly type: string; readonly field: string; readonly message: string }[];
}

/** `missing` is true only if the server reports that the object does not exist (404). */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly missing: boolean; readonly failure: ApiFailure };

export function answered<T>(value: T): Answer<T> {
  return { ok: true, value };
}

export function refused<T = never>(failure: ApiFailure): Answer<T> {
  return { ok: false, missing: failure.reason === 'NotFound' && failure.notServed !== true, failure };
}
