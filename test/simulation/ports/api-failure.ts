// Maps failures and lost responses with the REST client's own mapping.
import type { ApiFailure } from '@capi-serverless/apimachinery';
import { toFailure, toLostFailure } from '../../../shared/kubernetes/rest/failures.ts';
import type { Refusal } from '../engine/faults.ts';

export function toApiFailure(
  as: Refusal | 'aborted' | 'gone',
  { label, isWrite }: { readonly label: string; readonly isWrite: boolean },
): ApiFailure {
  const asked = { label, isWrite, isSecret: false };
  const status = (code: number, reason: string, message: string, retryAfter?: string): ApiFailure =>
    toFailure({ status: code, retryAfter, body: { kind: 'Status', code, reason, message } }, asked);
  switch (as) {
    case 'conflict':
      return status(
        409,
        'Conflict',
        `${label}: the object has been modified; please apply your changes to the latest version`,
      );
    case 'notServed':
      return toFailure({ status: 404, body: '404 page not found' }, asked);
    case 'tooManyRequests':
      return status(429, 'TooManyRequests', 'too many requests, please try again later', '2');
    case 'forbidden':
      return status(403, 'Forbidden', `${label} is forbidden`);
    case 'internalError':
      return status(500, 'InternalError', 'Internal error occurred: etcdserver: leader changed');
    case 'unavailable':
      return status(503, 'ServiceUnavailable', 'apiserver is shutting down', '1');
    case 'gone':
      return status(410, 'Expired', 'The resourceVersion for the provided watch is too old');
    case 'timeout':
      return toLostFailure({ why: 'timeout', sent: true, message: 'no complete answer within 60 s' }, asked);
    case 'aborted':
      return toLostFailure({ why: 'aborted', sent: true, message: 'aborted at the deadline' }, asked);
  }
}
