import { describe, expect, it } from 'vitest';
import {
  furthestDueMs,
  longestDelayMs,
  needsTimer,
  toDelaySeconds,
  toDue,
  toMainStepMs,
} from '../../../../shared/workqueue/timer-grid.ts';
import { fc } from '../../../support/property.ts';

const hour = Date.UTC(2026, 0, 1, 12);
const now = hour + 250;
const ceilTo = (step: number, ms: number): number => Math.ceil(ms / step) * step;
const anInstant = fc.integer({ min: Date.UTC(2024), max: Date.UTC(2060) });
const aDelay = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: longestDelayMs }));

describe('the main step', () => {
  it.each([
    { delayMs: 0, step: 1, reason: 'at least a second' },
    { delayMs: 1, step: 2, reason: 'delays count in whole seconds' },
    { delayMs: 3000, step: 4, reason: 'at least a second more than the delay' },
    { delayMs: 4000, step: 5, reason: 'five quarters' },
    { delayMs: 60_000, step: 75, reason: 'five quarters of a minute' },
    { delayMs: 62_000, step: 77, reason: 'whole seconds only' },
  ])('is $step s for $delayMs ms: $reason', ({ delayMs, step }) => {
    expect(toMainStepMs(delayMs)).toBe(step * 1000);
  });
});

describe('the due time', () => {
  it.each([
    { delayMs: 0, latestDue: undefined, due: 1000, reason: 'the next whole second' },
    { delayMs: 500, latestDue: undefined, due: 1000, reason: 'never early' },
    { delayMs: 500, latestDue: 1000, due: 2000, reason: 'after the timer being served' },
    { delayMs: 500, latestDue: 1500, due: 2000, reason: 'after one that is not on a whole second' },
    { delayMs: 500, latestDue: 9000, due: 10_000, reason: 'after one that is due ahead of the clock' },
    { delayMs: 4000, latestDue: undefined, due: 5000, reason: 'a main point can be reached' },
    { delayMs: 12_000, latestDue: undefined, due: 15_000, reason: 'the main point, although 13 s is possible' },
    {
      delayMs: 6000,
      latestDue: undefined,
      due: 9000,
      reason: 'the latest part, because no main point is in range',
    },
    { delayMs: 7000, latestDue: undefined, due: 8000, reason: 'a main point as early as possible' },
  ])('is $due ms into the hour: $reason', ({ delayMs, latestDue, due }) => {
    const served = latestDue === undefined ? undefined : hour + latestDue;
    expect(toDue({ now, delayMs, latestDue: served, spread: 0 }) - hour).toBe(due);
  });

  it.each([
    { at: 15, due: 105, reason: 'the main points 75 and 150 s cannot be reached, so the latest part of 15 s' },
    { at: 60, due: 150, reason: 'the main point can just be reached' },
    { at: 75, due: 150, reason: 'from one main point to the next' },
    { at: 89, due: 150, reason: 'from a main point, although served late' },
  ])('of a minute from second $at is second $due: $reason', ({ at, due }) => {
    const start = ceilTo(75_000, hour);
    expect(toDue({ now: start + at * 1000 + 250, delayMs: 60_000, spread: 0 }) - start).toBe(due * 1000);
  });

  it('is never early and at most half the delay or a second late', () => {
    fc.assert(
      fc.property(anInstant, aDelay, (at, delayMs) => {
        const late = toDue({ now: at, delayMs, spread: 7 }) - (at + delayMs);
        expect(late).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThanOrEqual(Math.max(1000, delayMs / 2));
      }),
    );
  });

  it('is in these bounds in whole seconds too, for delays of whole seconds', () => {
    fc.assert(
      fc.property(anInstant, fc.integer({ min: 1, max: 600 }), (at, seconds) => {
        const waited = toDelaySeconds(toDue({ now: at, delayMs: seconds * 1000, spread: 7 }), at);
        expect(waited).toBeGreaterThanOrEqual(seconds);
        expect(waited).toBeLessThanOrEqual(seconds + Math.max(1, seconds / 2));
      }),
    );
  });

  it('is a whole second after the latest one served', () => {
    fc.assert(
      fc.property(anInstant, aDelay, fc.integer({ min: -5000, max: 5000 }), (at, delayMs, skew) => {
        const due = toDue({ now: at, delayMs, latestDue: at + skew, spread: 7 });
        expect(due % 1000).toBe(0);
        expect(due).toBeGreaterThan(at + skew);
      }),
    );
  });

  it('limits the delay to a day', () => {
    const due = toDue({ now, delayMs: 30 * longestDelayMs, spread: 7 });
    expect(due).toBe(toDue({ now, delayMs: longestDelayMs, spread: 7 }));
  });

  it('is never later than the timer function accepts', () => {
    fc.assert(
      fc.property(anInstant, fc.nat(), fc.integer({ min: -5000, max: 2 ** 52 }), (at, delayMs, ahead) => {
        expect(toDue({ now: at, delayMs, latestDue: at + ahead, spread: 7 }) - at).toBeLessThanOrEqual(furthestDueMs);
      }),
    );
  });

  it.each([
    { ahead: 60_000, due: 61_000, reason: 'a clock may be behind by a minute' },
    { ahead: 60_001, due: 1000, reason: 'no timer arrives so early: the request is forged' },
    { ahead: 100 * 365 * 86_400_000, due: 1000, reason: 'a forged request must not stop the requeues' },
  ])('is $due ms after serving one that is due in $ahead ms: $reason', ({ ahead, due }) => {
    expect(toDue({ now: hour, delayMs: 1, latestDue: hour + ahead, spread: 0 }) - hour).toBe(due);
  });

  it('merges the timers of an object that requeues steadily within four periods, from 4 s on', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 3600 }),
        fc.array(anInstant, { minLength: 2, maxLength: 20 }),
        fc.record({ latencyMs: fc.integer({ min: 0, max: 900 }), spread: fc.nat() }),
        (seconds, starts, { latencyMs, spread }) => {
          const delayMs = seconds * 1000;
          let dues = starts.map(start => toDue({ now: start, delayMs, spread }));
          for (let round = 0; round < 5; round += 1) {
            dues = dues.map(due => toDue({ now: due + latencyMs, delayMs, latestDue: due, spread }));
          }
          expect(new Set(dues.map(due => due % toMainStepMs(delayMs))).size).toBe(1);
        },
      ),
    );
  });

  it('spreads objects with equal delays over the grid', () => {
    const dues = Array.from({ length: 75 }, (_, spread) => toDue({ now, delayMs: 60_000, spread }));
    expect(new Set(dues).size).toBeGreaterThan(20);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a delay of %d ms', delayMs => {
    expect(() => toDue({ now, delayMs, spread: 0 })).toThrow(RangeError);
  });
});

describe('delay seconds', () => {
  it.each([
    { inMs: -5000, seconds: 0, reason: 'it is overdue' },
    { inMs: 0, seconds: 0, reason: 'it is due' },
    { inMs: 1, seconds: 1, reason: 'rounding down would be early' },
    { inMs: 900_000, seconds: 900, reason: 'the longest delay fits' },
    { inMs: 3_600_000, seconds: 900, reason: 'the longest delay of a queue' },
  ])('are $seconds when due in $inMs ms: $reason', ({ inMs, seconds }) => {
    expect(toDelaySeconds(now + inMs, now)).toBe(seconds);
  });
});

describe('a timer', () => {
  it.each([
    { delayMs: 1_199_999, fullResyncPeriodMs: 600_000, needed: true, reason: 'the resync may come too late' },
    { delayMs: 1_200_000, fullResyncPeriodMs: 600_000, needed: false, reason: 'the resync comes first' },
    { delayMs: 86_400_000, fullResyncPeriodMs: undefined, needed: true, reason: 'there is no resync' },
  ])('is needed: $needed, because $reason', ({ delayMs, fullResyncPeriodMs, needed }) => {
    expect(needsTimer(delayMs, fullResyncPeriodMs)).toBe(needed);
  });
});
