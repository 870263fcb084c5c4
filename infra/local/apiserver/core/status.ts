// Failures as Kubernetes words them: a Status with code, reason and details. Thrown inside the core; the fronts
// (memory adapter, HTTP) turn them into answers.

export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'NamespaceTerminating'
  | 'ResourceVersionTooLarge';

export interface Cause {
  readonly reason: CauseReason;
  readonly field?: string;
  readonly message: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export class StatusError extends Error {
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'StatusError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** No such URL: answered as plain text, not as a Status, so a missing kind is told apart from a missing object. */
export class NoSuchRouteError extends Error {
  override readonly name = 'NoSuchRouteError';

  constructor() {
    super('404 page not found');
  }
}

/** The part of a resource that failures name. */
export interface Named {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

function qualified(word: string, group: string): string {
  return group === '' ? word : `${word}.${group}`;
}

function detailsOf(of: Named, word: string, name: string): StatusDetails {
  return { name, ...(of.group === '' ? {} : { group: of.group }), kind: word };
}

export function notFound(of: Named, name: string): StatusError {
  const message = `${qualified(of.plural, of.group)} "${name}" not found`;
  return new StatusError(404, 'NotFound', message, detailsOf(of, of.plural, name));
}

export function alreadyExists(of: Named, name: string, deleting = false): StatusError {
  const why = `${qualified(of.plural, of.group)} "${name}" already exists`;
  const message = deleting ? `object is being deleted: ${why}` : why;
  return new StatusError(409, 'AlreadyExists', message, detailsOf(of, of.plural, name));
}

const staleVersion = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(of: Named, name: string, why = staleVersion): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(of.plural, of.group)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(of, of.plural, name));
}

/** A delete's precondition that does not hold; names the kind where other conflicts name the resource. */
export function preconditionFailed(of: Named, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(of.kind, of.group)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(of, of.kind, name));
}

export function invalid(of: Named, name: string, causes: readonly Cause[]): StatusError {
  const told = causes.map(cause => (cause.field === undefined ? cause.message : `${cause.field}: ${cause.message}`));
  const what = told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]`;
  const message = `${qualified(of.kind, of.group)} "${name}" is invalid: ${what}`;
  return new StatusError(422, 'Invalid', message, { ...detailsOf(of, of.kind, name), causes });
}

export function forbidden(of: Named, name: string, why: string, causes?: readonly Cause[]): StatusError {
  const message = `${qualified(of.plural, of.group)} "${name}" is forbidden: ${why}`;
  const details = detailsOf(of, of.plural, name);
  return new StatusError(403, 'Forbidden', message, causes === undefined ? details : { ...details, causes });
}

/** The patch itself cannot be applied; no field of the object is to blame. */
export function unprocessable(message: string): StatusError {
  return new StatusError(422, 'Invalid', message, {});
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

export function unsupportedMediaType(accepted: string): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}
