// From what the core throws to the failures of the Kubernetes port, through the same mapping as answers over the network.
import type { ApiFailure } from '../../../shared/api/answer.ts';
import { type Asked, toFailure } from '../../../shared/kubernetes/rest/failures.ts';
import { NoSuchRouteError, StatusError } from './core/status.ts';

/** The refusal as data. What is not a refusal is thrown on: it is a mistake in the core. */
export function failureOf(error: unknown, asked: Asked): ApiFailure {
  if (error instanceof NoSuchRouteError) {
    return toFailure({ status: 404, body: error.message }, asked);
  }
  if (error instanceof StatusError) {
    return toFailure({ status: error.status.code, body: error.status }, asked);
  }
  throw error;
}
