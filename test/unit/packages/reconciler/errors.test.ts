import { expect, it } from 'vitest';
import { RetryableError, TerminalError, toError } from '../../../../packages/reconciler/errors.ts';

const cause = new Error('the real trouble');

it.each([
  { error: new RetryableError('later', { cause, retryAfterMs: 5 }), name: 'RetryableError', message: 'later' },
  { error: new TerminalError('never', { cause }), name: 'TerminalError', message: 'never' },
])('a $name contains its kind and its cause', ({ error, name, message }) => {
  expect([error.name, error.message, error.cause]).toEqual([name, message, cause]);
});

it('a thrown value that is not an error is wrapped', () => {
  expect(toError(cause)).toBe(cause);
  expect(toError('text').message).toBe('text');
});
