import type { ApiFailure } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { isConnectionDown, wasSent } from '../../../../shared/workload/api.ts';

describe('a connection is down', () => {
  it.each<[reason: string, failure: Omit<ApiFailure, 'message'>, down: boolean]>([
    ['without an answer', { reason: 'Unavailable' }, true],
    ['after a 401', { reason: 'Unauthorized', code: 401 }, true],
    ['but not after a 503', { reason: 'Unavailable', code: 503 }, false],
    ['but not after a 403', { reason: 'Forbidden', code: 403 }, false],
    ['but not after a 404', { reason: 'NotFound', code: 404 }, false],
    ['but not if the pass ended', { reason: 'Aborted' }, false],
    ['but not after a body without sense', { reason: 'InternalError', code: 200 }, false],
  ])('%s', (_reason, failure, down) => {
    expect(isConnectionDown({ ...failure, message: '' })).toBe(down);
  });
});

describe('a request was sent', () => {
  it.each<[reason: string, failure: Omit<ApiFailure, 'message'>, sent: boolean]>([
    ['without an answer', { reason: 'Unavailable' }, true],
    ['but not if one failed just before', { reason: 'Unavailable', notSent: true }, false],
    ['if the server is busy', { reason: 'TooManyRequests', code: 429 }, true],
    ['but not without a free connection', { reason: 'TooManyRequests' }, false],
  ])('%s', (_reason, failure, sent) => {
    expect(wasSent({ ...failure, message: '' })).toBe(sent);
  });
});
