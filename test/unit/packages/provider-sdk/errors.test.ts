import { describe, expect, it } from 'vitest';
import { findIntent, RequeueAfter, Terminal } from '../../../../packages/provider-sdk/errors.ts';

describe('An intent that an author throws', () => {
  const intents = [new RequeueAfter(7), new Terminal('BadQuota', 'no quota')];

  it.each(intents)('is found unwrapped: $name', intent => {
    expect(findIntent(intent)).toBe(intent);
  });

  it.each(intents)('is found among the causes of another error: $name', intent => {
    expect(findIntent(new Error('outer', { cause: new Error('inner', { cause: intent }) }))).toBe(intent);
  });

  it.each([
    { thrown: new Error('boom'), reason: 'an ordinary failure' },
    { thrown: 'text', reason: 'no error at all' },
    { thrown: circular(), reason: 'causes in a circle' },
  ])('is not found in $reason', ({ thrown }) => {
    expect(findIntent(thrown)).toBeUndefined();
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('is not a delay of %s seconds', seconds => {
    expect(() => new RequeueAfter(seconds)).toThrow(RangeError);
  });
});

function circular(): Error {
  const error = new Error('circle');
  error.cause = error;
  return error;
}
