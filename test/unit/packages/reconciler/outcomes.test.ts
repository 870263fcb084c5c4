import { expect, it } from 'vitest';
import { failureOf, haveSucceeded } from '../../../../packages/reconciler/outcomes.ts';
import type { Outcome } from '../../../../packages/reconciler/types.ts';

const failure = { reason: 'Forbidden', message: 'no' } as const;

it.each<{ outcome: Outcome; expected: typeof failure | undefined; reason: string }>([
  { outcome: { state: 'failed', failure }, expected: failure, reason: 'a failed action has its failure' },
  { outcome: { state: 'done' }, expected: undefined, reason: 'a successful action has none' },
  { outcome: { state: 'skipped' }, expected: undefined, reason: 'a skipped action has none' },
])('$reason', ({ outcome, expected }) => {
  expect(failureOf(new Map([['a', outcome]]), 'a')).toEqual(expected);
});

it('an action that was not performed has none', () => {
  expect(failureOf(new Map(), 'a')).toBeUndefined();
});

it.each([
  { failed: [], succeeded: true, reason: 'a write without an outcome has not failed' },
  { failed: ['c'], succeeded: true, reason: 'another write has no effect' },
  { failed: ['b'], succeeded: false, reason: 'one failure is enough' },
])('several writes: $reason', ({ failed, succeeded }) => {
  const outcomes = new Map<string, Outcome>(failed.map(id => [id, { state: 'failed', failure }]));
  expect(haveSucceeded([{ id: 'a' }, { id: 'b' }], outcomes)).toBe(succeeded);
});
