import { describe, expect, it } from 'vitest';
import { deathsOf } from '../../../../shared/kernel/deaths.ts';

const first = 1_767_225_600_000;

describe.each([
  { timeoutSeconds: 60, throttledSeconds: 360 },
  { timeoutSeconds: 120, throttledSeconds: 720 },
])('deliveries of a function with a timeout of $timeoutSeconds s', ({ timeoutSeconds, throttledSeconds }) => {
  const deaths = (receiveCount: number, seconds: number) =>
    deathsOf(
      { receiveCount, firstReceivedAtMs: first },
      { now: first + seconds * 1000, timeoutMs: (timeoutSeconds - 1) * 1000 },
    );

  it.each([
    { receiveCount: 1, seconds: 0, expected: 0, reason: 'the first delivery' },
    { receiveCount: 2, seconds: 45, expected: 1, reason: 'it died at once' },
    { receiveCount: 2, seconds: 43, expected: 1, reason: 'it died at once, and the clock of the queue is ahead' },
    { receiveCount: 2, seconds: timeoutSeconds + 50, expected: 1, reason: 'it ran until its timeout' },
    { receiveCount: 3, seconds: 90, expected: 2, reason: 'two died at once' },
    { receiveCount: 3, seconds: 2 * timeoutSeconds + 95, expected: 2, reason: 'two ran until their timeouts' },
    { receiveCount: 2, seconds: 10, expected: 0, reason: 'the function gave it back' },
    { receiveCount: 4, seconds: 30, expected: 0, reason: 'the function gave it back three times' },
    { receiveCount: 3, seconds: 55, expected: 0, reason: 'one gave it back and one died: judged again' },
    { receiveCount: 2, seconds: throttledSeconds, expected: 0, reason: 'the function was throttled' },
    { receiveCount: 3, seconds: throttledSeconds + 45, expected: 0, reason: 'it was throttled, then one died' },
    { receiveCount: 3, seconds: 2 * throttledSeconds, expected: 0, reason: 'it was throttled twice' },
    { receiveCount: 2, seconds: -1, expected: 0, reason: 'the clock of the queue is far ahead' },
  ])('$receiveCount within $seconds s are $expected deaths: $reason', ({ receiveCount, seconds, expected }) => {
    expect(deaths(receiveCount, seconds)).toBe(expected);
  });
});

it('knows no death of a message whose first delivery is unknown', () => {
  expect(deathsOf({ receiveCount: 2 }, { now: first, timeoutMs: 60_000 })).toBe(0);
});
