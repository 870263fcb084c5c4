import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsTimer, toDelaySeconds, toDue, toGridStepMs } from '../../../../shared/workqueue/timer-grid.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0, 250);
const anInstant = fc.integer({ min: Date.UTC(2024), max: Date.UTC(2060) });
const aDelay = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 7 * 86_400_000 }));

describe('the grid step', () => {
  it.each([
    { delayMs: 0, step: 1, reason: 'never below a second' },
    { delayMs: 3999, step: 1, reason: 'two seconds would be more than half' },
    { delayMs: 4000, step: 2, reason: 'two seconds are half' },
    { delayMs: 60_000, step: 16, reason: '32 s would be more than half a minute' },
    { delayMs: 64_000, step: 32, reason: 'exactly half' },
    { delayMs: 600_000, step: 256, reason: '512 s would be more than five minutes' },
  ])('is $step s for $delayMs ms: $reason', ({ delayMs, step }) => {
    expect(toGridStepMs(delayMs)).toBe(step * 1000);
  });
});

describe('the due instant', () => {
  it.each([
    { delayMs: 0, latestDue: undefined, due: 1000, reason: 'the next whole second' },
    { delayMs: 500, latestDue: undefined, due: 1000, reason: 'rounded up to the grid' },
    { delayMs: 750, latestDue: undefined, due: 1000, reason: 'already on the grid' },
    { delayMs: 500, latestDue: 1000, due: 2000, reason: 'one step after the timer being served' },
    { delayMs: 500, latestDue: 1500, due: 3000, reason: 'a whole step later, and on the grid' },
    { delayMs: 10_000, latestDue: 1000, due: 12_000, reason: 'late enough anyway' },
  ])('is $due ms into the minute: $reason', ({ delayMs, latestDue, due }) => {
    const minute = now - 250;
    const served = latestDue === undefined ? undefined : minute + latestDue;
    expect(toDue({ now, delayMs, latestDue: served }) - minute).toBe(due);
  });

  it('is never early and at most half the delay or a second late', () => {
    fc.assert(
      fc.property(anInstant, aDelay, (at, delayMs) => {
        const late = toDue({ now: at, delayMs }) - (at + delayMs);
        expect(late).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThan(Math.max(1000, delayMs / 2) + 1);
      }),
    );
  });

  it('is on the grid and a whole step after the latest one served', () => {
    fc.assert(
      fc.property(anInstant, aDelay, fc.integer({ min: -5000, max: 5000 }), (at, delayMs, skew) => {
        const step = toGridStepMs(delayMs);
        const due = toDue({ now: at, delayMs, latestDue: at + skew });
        expect(due % step).toBe(0);
        expect(due - (at + skew)).toBeGreaterThanOrEqual(step);
      }),
    );
  });

  it('merges the wishes of one grid step', () => {
    const wishes = [0, 100, 200, 700].map(ms => toDue({ now: now + ms, delayMs: 60_000 }));
    expect(new Set(wishes).size).toBe(1);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a delay of %d ms', delayMs => {
    expect(() => toDue({ now, delayMs })).toThrow(RangeError);
  });
});

describe('delay seconds', () => {
  it.each([
    { inMs: -5000, seconds: 0, reason: 'it is overdue' },
    { inMs: 0, seconds: 0, reason: 'it is due' },
    { inMs: 1, seconds: 1, reason: 'rounding down would be early' },
    { inMs: 900_000, seconds: 900, reason: 'the longest delay fits' },
    { inMs: 3_600_000, seconds: 900, reason: 'a queue holds nothing back for longer' },
  ])('are $seconds when due in $inMs ms: $reason', ({ inMs, seconds }) => {
    expect(toDelaySeconds(now + inMs, now)).toBe(seconds);
  });
});

describe('a timer', () => {
  it.each([
    { delayMs: 1_199_999, resyncPeriodMs: 600_000, needed: true, reason: 'the resync may come too late' },
    { delayMs: 1_200_000, resyncPeriodMs: 600_000, needed: false, reason: 'the resync comes first' },
    { delayMs: 86_400_000, resyncPeriodMs: undefined, needed: true, reason: 'there is no resync' },
  ])('is needed: $needed, because $reason', ({ delayMs, resyncPeriodMs, needed }) => {
    expect(needsTimer(delayMs, resyncPeriodMs)).toBe(needed);
  });
});
