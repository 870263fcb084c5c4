import { describe, expect, it } from 'vitest';
import { hasTimeForPass, readsEndOf } from '../../../../shared/kernel/time-shares.ts';

describe('the end of reads', () => {
  it.each([
    { attempt: 0, ends: 1500, reason: 'half of the time in the first try' },
    { attempt: 1, ends: 1750, reason: 'more in the second try' },
    { attempt: 9, ends: 1750, reason: 'as much in later tries' },
  ])('is at $ends ms for attempt $attempt: $reason', ({ attempt, ends }) => {
    expect(readsEndOf({ now: 1000, deadline: 2000, attempt })).toBe(ends);
  });

  it('is unlimited without a deadline', () => {
    expect(readsEndOf({ now: 1000, deadline: undefined, attempt: 0 })).toBeUndefined();
  });
});

describe('a pass', () => {
  const clock = { now: () => 1000 };

  it.each([
    { passes: 0, longestMs: 0, deadline: 900, starts: true, reason: 'the first one always does' },
    { passes: 1, longestMs: 500, deadline: 1500, starts: true, reason: 'the longest one before just fits' },
    { passes: 1, longestMs: 501, deadline: 1500, starts: false, reason: 'the longest one before does not fit' },
  ])('starts: $starts, because $reason', ({ passes, longestMs, deadline, starts }) => {
    expect(hasTimeForPass({ clock, deadline }, { passes, longestMs })).toBe(starts);
  });

  it('starts without a deadline', () => {
    expect(hasTimeForPass({ clock }, { passes: 4, longestMs: 1e9 })).toBe(true);
  });
});
