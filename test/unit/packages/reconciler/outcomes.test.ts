import { expect, it } from 'vitest';
import { failureOf } from '../../../../packages/reconciler/outcomes.ts';
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
