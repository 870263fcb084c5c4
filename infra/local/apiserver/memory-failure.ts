// From what the core throws to the failures of the Kubernetes port.
import type { ApiFailure, FailureReason } from '../../../shared/api/answer.ts';
import { NoSuchRouteError, type Status, StatusError } from './core/status.ts';

const reasons: Readonly<Record<string, FailureReason>> = {
  NotFound: 'NotFound',
  Conflict: 'Conflict',
  AlreadyExists: 'AlreadyExists',
  Invalid: 'Invalid',
  BadRequest: 'BadRequest',
  Forbidden: 'Forbidden',
  Expired: 'Gone',
  UnsupportedMediaType: 'UnsupportedMediaType',
};

/** The refusal as data. What is not a refusal is thrown on: it is a mistake in the core. */
export function toFailure(error: unknown): ApiFailure {
  if (error instanceof NoSuchRouteError) {
    return { reason: 'NotFound', code: 404, message: error.message };
  }
  if (error instanceof StatusError) {
    return ofStatus(error.status);
  }
  throw error;
}

function ofStatus({ reason = '', code, message = '', details }: Status): ApiFailure {
  const causes = details?.causes?.map(cause =>
    cause.field === undefined ? cause.message : `${cause.field}: ${cause.message}`,
  );
  return {
    reason: reasons[reason] ?? 'InternalError',
    code,
    message,
    ...(causes === undefined ? {} : { causes }),
  };
}
