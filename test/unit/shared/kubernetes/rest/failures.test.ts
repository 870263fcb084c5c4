import type { FailureReason } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  type ConnectionLoss,
  type RequestSummary,
  toFailure,
  toLostFailure,
  toStreamFailure,
} from '../../../../../shared/kubernetes/rest/failures.ts';

const read: RequestSummary = { label: 'get widgets n/w', isWrite: false, isSecret: false };
const write: RequestSummary = { label: 'patch widgets n/w', isWrite: true, isSecret: false };
const secretWrite: RequestSummary = { label: 'create secrets n/s', isWrite: true, isSecret: true };

function aStatus(reason: string | undefined, details: Record<string, unknown> = {}): Record<string, unknown> {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no luck', reason, details };
}

describe('an answer with an error code', () => {
  it.each<[code: number, body: unknown, read: FailureReason, write: FailureReason, reason: string]>([
    [400, aStatus('BadRequest'), 'BadRequest', 'BadRequest', 'the request cannot be understood'],
    [401, aStatus('Unauthorized'), 'Unauthorized', 'Unauthorized', 'the credentials are refused'],
    [403, aStatus('Forbidden'), 'Forbidden', 'Forbidden', 'the user may not do it'],
    [404, aStatus('NotFound'), 'NotFound', 'NotFound', 'the object is missing'],
    [404, '404 page not found\n', 'NotFound', 'NotFound', 'the kind is not served'],
    [405, aStatus('MethodNotAllowed'), 'BadRequest', 'BadRequest', 'the kind has no such verb'],
    [406, aStatus('NotAcceptable'), 'UnsupportedMediaType', 'UnsupportedMediaType', 'no such form of answer'],
    [409, aStatus('AlreadyExists'), 'AlreadyExists', 'AlreadyExists', 'the name is taken'],
    [409, aStatus('Conflict'), 'Conflict', 'Conflict', 'a precondition does not hold'],
    [410, aStatus('Expired'), 'Gone', 'Gone', 'the version is forgotten'],
    [410, aStatus('Gone'), 'Gone', 'Gone', 'the version is forgotten'],
    [413, aStatus('RequestEntityTooLarge'), 'BadRequest', 'BadRequest', 'the body is too large'],
    [415, aStatus('UnsupportedMediaType'), 'UnsupportedMediaType', 'UnsupportedMediaType', 'no such patch type'],
    [418, 'short and stout', 'BadRequest', 'BadRequest', 'an unknown code blames the request'],
    [422, aStatus('Invalid'), 'Invalid', 'Invalid', 'a field is not valid'],
    [429, aStatus('TooManyRequests'), 'TooManyRequests', 'TooManyRequests', 'the server sheds load'],
    [500, aStatus('InternalError'), 'InternalError', 'InternalError', 'the server failed'],
    [501, '', 'InternalError', 'InternalError', 'an unknown code blames the server'],
    [502, 'Bad Gateway', 'Unavailable', 'UnknownOutcome', 'a gateway lost the server after sending'],
    [503, aStatus('ServiceUnavailable'), 'Unavailable', 'Unavailable', 'no server processed the request'],
    [504, aStatus('Timeout'), 'Unavailable', 'UnknownOutcome', 'the server gave up waiting for itself'],
  ])('%i with %j is %s for a read and %s for a write: %s', (status, body, forRead, forWrite) => {
    expect(toFailure({ status, body }, read)).toMatchObject({ reason: forRead, code: status });
    expect(toFailure({ status, body }, write)).toMatchObject({ reason: forWrite, code: status });
  });

  it("keeps the server's message and causes", () => {
    const causes = [
      { reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' },
      { message: 'of no field' },
      'not a cause',
    ];
    expect(toFailure({ status: 422, body: aStatus('Invalid', { causes }) }, write)).toEqual({
      reason: 'Invalid',
      code: 422,
      message: 'no luck',
      causes: ['spec.size: must be positive', 'of no field'],
    });
  });

  it.each([
    { details: { kind: 'Widget' }, group: '' },
    { details: { kind: 'Widget', group: 'example.com' }, group: 'example.com' },
  ])('reports kind and group $group of the refused object, and the causes', ({ details, group }) => {
    const causes = [
      { reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' },
      { message: 'no' },
    ];
    expect(toFailure({ status: 422, body: aStatus('Invalid', { ...details, causes }) }, write).details).toEqual({
      kind: 'Widget',
      group,
      causes: [
        { type: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' },
        { type: '', field: '', message: 'no' },
      ],
    });
  });

  it.each<[body: unknown, notServed: true | undefined, reason: string]>([
    [{ ErrStatus: { reason: 'NotFound', details: { name: '/w', kind: 'Widget' } } }, undefined, 'a Status in an error'],
    [aStatus('NotFound', { name: 'w', kind: 'widgets' }), undefined, 'the object is missing'],
    [aStatus('NotFound', { kind: 'widgets' }), true, 'no object is named'],
    [aStatus('NotFound'), true, 'no object is named'],
    ['404 page not found\n', true, 'nothing answers at that path'],
  ])('404 with %j means that the kind is not served: %s, for %s', (body, notServed) => {
    expect(toFailure({ status: 404, body }, read).notServed).toBe(notServed);
  });

  it('has the message of a Status in an error', () => {
    const body = { ErrStatus: { reason: 'NotFound', message: 'Widget "/w" not found', details: { name: '/w' } } };
    expect(toFailure({ status: 404, body }, read).message).toBe('Widget "/w" not found');
  });

  it('names request, code and the beginning of a text that is not a Status', () => {
    const { message } = toFailure({ status: 404, body: `404 page not found\n${'x'.repeat(1000)}` }, read);
    expect(message).toMatch(/^get widgets n\/w: the server answered 404 404 page not found\nx/);
    expect(message.length).toBeLessThan(300);
  });

  it.each<[header: string | undefined, seconds: number | undefined, ms: number | undefined, reason: string]>([
    ['7', undefined, 7000, 'the header counts'],
    ['7', 3, 7000, 'the header wins over the Status'],
    [undefined, 3, 3000, 'the Status replaces the header'],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined, undefined, 'a date is not understood'],
    [undefined, undefined, undefined, 'nothing was said'],
  ])('retries after header %s and details %s in %s ms: %s', (retryAfter, retryAfterSeconds, expected) => {
    const body = aStatus('TooManyRequests', { retryAfterSeconds });
    expect(toFailure({ status: 429, retryAfter, body }, read).retryAfterMs).toBe(expected);
  });

  it("never repeats the server's quotes from a Secret", () => {
    const causes = [{ field: 'data.password', message: 'Invalid value: "hunter2"' }, { message: 'hunter2' }];
    const body = { ...aStatus('Invalid', { kind: 'Secret', causes }), message: 'Secret "s" is invalid: hunter2' };
    for (const failure of [
      toFailure({ status: 422, body }, secretWrite),
      toFailure({ status: 400, body: 'cannot read hunter2' }, secretWrite),
      toFailure({ status: 500, body: { ...body, reason: 'InternalError' } }, secretWrite),
    ]) {
      expect(JSON.stringify(failure)).not.toContain('hunter2');
      expect(failure.message).toContain('create secrets n/s');
    }
    expect(toFailure({ status: 422, body }, secretWrite).causes).toEqual(['data.password', 'a field']);
  });

  it('repeats messages that only name a Secret', () => {
    const body = { ...aStatus('NotFound'), message: 'secrets "s" not found' };
    expect(toFailure({ status: 404, body }, secretWrite).message).toBe('secrets "s" not found');
  });
});

describe('an ERROR event of a watch', () => {
  it.each<[body: unknown, reason: FailureReason, code: number]>([
    [{ ...aStatus('Expired'), code: 410 }, 'Gone', 410],
    [aStatus('Expired'), 'Gone', 410],
    [{ ...aStatus('InternalError'), code: 500 }, 'InternalError', 500],
    [{ ...aStatus('Timeout'), code: 504 }, 'Unavailable', 504],
    [null, 'InternalError', 500],
  ])('%j is %s with %i', (body, reason, code) => {
    expect(toStreamFailure(body, read)).toMatchObject({ reason, code });
  });
});

describe('no answer', () => {
  it.each<[why: ConnectionLoss['why'], sent: boolean, read: FailureReason, write: FailureReason, reason: string]>([
    ['connection', false, 'Unavailable', 'Unavailable', 'nothing reached the server'],
    ['connection', true, 'Unavailable', 'UnknownOutcome', 'the write may have happened'],
    ['timeout', false, 'Unavailable', 'Unavailable', 'no connection in time'],
    ['timeout', true, 'Unavailable', 'UnknownOutcome', 'the write may still happen'],
    ['truncated', true, 'Unavailable', 'UnknownOutcome', 'the result is unknown'],
    ['too large', true, 'InternalError', 'UnknownOutcome', 'the answer cannot be held'],
    ['aborted', false, 'Aborted', 'Aborted', 'nothing was sent'],
    ['aborted', true, 'Aborted', 'UnknownOutcome', 'the write may have happened'],
  ])('%s (sent: %s) is %s for a read and %s for a write: %s', (why, sent, forRead, forWrite) => {
    const lost = { why, sent, message: 'what happened' };
    const tooLarge = why === 'too large' ? { tooLarge: true } : {};
    expect(toLostFailure(lost, read)).toEqual({
      reason: forRead,
      ...tooLarge,
      message: 'get widgets n/w: what happened',
    });
    expect(toLostFailure(lost, write)).toEqual({
      reason: forWrite,
      ...tooLarge,
      message: 'patch widgets n/w: what happened',
    });
  });
});
