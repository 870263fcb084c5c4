import { describe, expect, it } from 'vitest';
import { shortageOfTime } from '../../../../shared/runtime-hooks/time-left.ts';

const call = { timeoutSeconds: 10 };

describe('the remaining time of an invocation', () => {
  it.each([
    { deadline: undefined, reason: 'the deadline is unknown' },
    { deadline: 10_000, reason: 'it just fits' },
    { deadline: 10_001, reason: 'it fits' },
  ])('is sufficient: $reason', ({ deadline }) => {
    expect(shortageOfTime(call, { now: 0, deadline })).toBeUndefined();
  });

  it.each([
    { deadline: 9999, left: 9, reason: 'a millisecond is missing' },
    { deadline: 0, left: 0, reason: 'nothing is left' },
    { deadline: -5000, left: 0, reason: 'it is over' },
  ])('is reported in whole seconds, $left: $reason', ({ deadline, left }) => {
    expect(shortageOfTime(call, { now: 0, deadline })).toBe(
      `not called: it may take 10 s, and ${left} s of this invocation are left; the next one calls it`,
    );
  });
});
