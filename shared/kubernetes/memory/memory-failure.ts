// Maps errors of the API server core to failures of the Kubernetes port. The REST adapter maps HTTP answers in the same
// way.

import type { ApiFailure } from '@capi-serverless/apimachinery';
import { NoSuchRouteError, StatusError } from '@capi-serverless/apiserver/core';
import { type RequestSummary, toFailure } from '../rest/failures.ts';

/** Returns a refusal as data. Throws other errors again, because they are defects of the core. */
export function failureOf(error: unknown, summary: RequestSummary): ApiFailure {
  if (error instanceof NoSuchRouteError) {
    return toFailure({ status: 404, body: error.message }, summary);
  }
  if (error instanceof StatusError) {
    return toFailure({ status: error.status.code, body: error.status }, summary);
  }
  throw error;
}
