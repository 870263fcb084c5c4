import { expect, it } from 'vitest';
import { errorsOf } from '../../../../functions/machineset/phases/phase.ts';
import type { Outcomes } from '../../../../packages/reconciler/types.ts';

it('returns the errors of failed actions in the order of the actions, with the problem that each one has', () => {
  const outcomes: Outcomes = new Map([
    ['b', { state: 'failed', failure: { reason: 'Conflict', message: 'another version' } }],
    ['a', { state: 'failed', failure: { reason: 'Unavailable', message: 'boom' } }],
    ['c', { state: 'done' }],
  ]);
  const actions = ['a', 'b', 'c', 'unsent'].map(id => ({
    id,
    problem: id === 'a' ? `failed to patch ${id}` : undefined,
  }));
  expect(errorsOf(outcomes, actions)).toEqual(['failed to patch a: boom', 'another version']);
});
