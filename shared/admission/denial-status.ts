// The status of a refused write, as a webhook returns it and an API server passes it on.
import { type FieldError, type FieldErrorType, printInvalidObject, printProblem } from '@capi-serverless/apimachinery';
import type { Denial } from './kinds/kind-rules.ts';

interface DenialCause {
  readonly reason: (typeof reasons)[FieldErrorType];
  readonly message: string;
  readonly field: string;
}

export interface DenialStatus {
  readonly status?: 'Failure';
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: {
    /** Absent if the name will be generated. */
    readonly name?: string;
    readonly group: string;
    readonly kind: string;
    readonly causes?: readonly DenialCause[];
  };
}

/** The object of the write. */
interface DeniedObject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** The reason of a cause. It follows from the type of error in the message. */
const reasons = {
  'Invalid value': 'FieldValueInvalid',
  'Invalid type': 'FieldValueTypeInvalid',
  'Required value': 'FieldValueRequired',
  'Duplicate value': 'FieldValueDuplicate',
  'Unsupported value': 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Internal error': 'InternalError',
} as const;

/** Equal errors are printed once, but each is a separate cause. */
export function invalidStatus({ group, kind, name }: DeniedObject, errors: readonly FieldError[]): DenialStatus {
  const causes = errors.map(error => ({
    reason: reasons[error.type],
    message: printProblem(error),
    field: error.field,
  }));
  const message = printInvalidObject({ group, kind, name, errors });
  return { status: 'Failure', code: 422, reason: 'Invalid', message, details: { ...named(name), group, kind, causes } };
}

const named = (name: string): { readonly name?: string } => (name === '' ? {} : { name });

/** An error without an object. */
export function forbiddenStatus(message: string): DenialStatus {
  return { code: 403, reason: 'Forbidden', message };
}

/** The deletion of the object is refused. */
export function undeletableStatus({ group, kind, name }: DeniedObject, why: string): DenialStatus {
  const message = `${kind}.${group} "${name}" is forbidden: ${why}`;
  return { status: 'Failure', code: 403, reason: 'Forbidden', message, details: { name, group, kind } };
}

/** The object cannot be read. */
export function unreadableStatus(message: string): DenialStatus {
  return { code: 400, message };
}

export function internalErrorStatus(message: string): DenialStatus {
  const text = `Internal error occurred: ${message}`;
  return { status: 'Failure', code: 500, reason: 'InternalError', message: text };
}

export function denialStatus(of: DeniedObject, denial: Denial): DenialStatus {
  return denial.reason === 'Invalid' ? invalidStatus(of, denial.errors) : forbiddenStatus(denial.message);
}
