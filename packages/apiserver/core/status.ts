// Failures in the wording of Kubernetes: a Status with code, reason and details. The core throws them. The front ends
// (memory adapter, HTTP) convert them to responses.
import { groupBy, withoutUndefined } from '@capi-serverless/apimachinery';

export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldManagerConflict'
  | 'DisruptionBudget'
  | 'InternalError'
  | 'NamespaceTerminating'
  | 'ResourceVersionTooLarge';

export interface StatusCause {
  readonly reason: CauseReason;
  readonly field?: string;
  readonly message: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  /** `continue` is the token with which a list can continue. */
  readonly metadata: { readonly continue?: string };
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export class StatusError extends Error {
  readonly status: Status;

  /** "" means that the Status has no reason. */
  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    metadata: Status['metadata'] = {},
  ) {
    super(message);
    this.name = 'StatusError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...withoutUndefined({ details }),
      code,
    };
  }
}

/**
 * The URL does not exist. The response is plain text instead of a Status. This distinguishes a missing kind from a
 * missing object.
 */
export class NoSuchRouteError extends Error {
  override readonly name = 'NoSuchRouteError';

  constructor() {
    super('404 page not found');
  }
}

/** The name of the resource in failures. */
interface Named {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

function qualified(word: string, group: string): string {
  return group === '' ? word : `${word}.${group}`;
}

function detailsOf(of: Named, word: string, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(of.group === '' ? {} : { group: of.group }), kind: word };
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

/** A failed delete precondition. Its message contains the kind. Messages of other conflicts contain the resource. */
export function preconditionFailed(of: Named, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(of.kind, of.group)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(of, of.kind, name));
}

export function invalidObject(of: Named, name: string, causes: readonly StatusCause[]): StatusError {
  const all = causes.map(cause => (cause.field === undefined ? cause.message : `${cause.field}: ${cause.message}`));
  // Equal messages are printed once, but each is a separate cause.
  const printed = [...new Set(all)];
  const what = printed.length === 1 ? (printed[0] ?? '') : `[${printed.join(', ')}]`;
  const message = `${qualified(of.kind, of.group)} "${name}" is invalid: ${what}`;
  return new StatusError(422, 'Invalid', message, { ...detailsOf(of, of.kind, name), causes });
}

/**
 * A write without a required resourceVersion. Like conflicts, and unlike other Invalid responses, it contains the
 * resource.
 */
export function versionRequired(of: Named, name: string): StatusError {
  const message = 'Invalid value: 0: must be specified for an update';
  return invalidObject({ ...of, kind: of.plural }, name, [
    { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message },
  ]);
}

/** Fields that other managers own with other values. Each cause contains the manager. */
export function applyConflict(conflicts: readonly { readonly message: string; readonly field: string }[]): StatusError {
  const causes = conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict' as const, message, field }));
  const [only] = conflicts;
  const printed =
    conflicts.length === 1
      ? `1 conflict: ${only?.message}: ${only?.field}`
      : `${conflicts.length} conflicts: ${listByOwner(conflicts)}`;
  return new StatusError(409, 'Conflict', `Apply failed with ${printed}`, { causes });
}

function listByOwner(conflicts: readonly { readonly message: string; readonly field: string }[]): string {
  return [...groupBy(conflicts, ({ message }) => message)]
    .map(([message, fields]) =>
      [message.replace('conflict ', 'conflicts '), ...fields.map(({ field }) => `- ${field}`)].join('\n'),
    )
    .join('\n');
}

/** The result of a patch cannot be decoded. */
export function patchInvalid(message: string): StatusError {
  const causes = [{ reason: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${message}` }] as const;
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

/** The verb is not supported. For custom resources, the message contains the resource. */
export function methodNotAllowed(of?: Named): StatusError {
  return of === undefined
    ? new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
    : new StatusError(
        405,
        'MethodNotAllowed',
        `the verb is not supported on resources of kind "${qualified(of.plural, of.group)}"`,
        detailsOf(of, of.plural, ''),
      );
}

export function forbidden(of: Named, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const message = `${qualified(of.plural, of.group)} "${name}" is forbidden: ${why}`;
  const details = detailsOf(of, of.plural, name);
  return new StatusError(403, 'Forbidden', message, causes === undefined ? details : { ...details, causes });
}

/** The patch itself cannot be applied. The error refers to no field of the object. */
export function unprocessable(message: string): StatusError {
  return new StatusError(422, 'Invalid', message, {});
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`);
}

export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

/** The snapshot of a list is no longer available. With `token`, the list continues in the latest state. */
export function listExpired(token: string): StatusError {
  const why = 'the provided continue parameter is too old to display a consistent list result';
  return new StatusError(410, 'Expired', `${why}; begin again, or go on with the token in this answer`, undefined, {
    continue: token,
  });
}

/** The server refuses a disruption. 0 seconds means that the answer suggests no time for another attempt. */
export function tooManyRequests(message: string, cause: string, retryAfterSeconds: number): StatusError {
  const causes = [{ reason: 'DisruptionBudget', message: cause }] as const;
  const details = retryAfterSeconds === 0 ? { causes } : { causes, retryAfterSeconds };
  return new StatusError(429, 'TooManyRequests', message, details);
}

/** The version is not assigned yet. kube-apiserver waits some seconds first. */
export function versionTooLarge(version: number, current: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] as const;
  const message = `Timeout: Too large resource version: ${version}, current: ${current}`;
  return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}

export function unsupportedMediaType(accepted: string): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}
