import type { ScheduledEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Schedule, type ScheduleOptions, startSchedule } from '../../../local/schedule.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';

let clock: SteppedClock;
let log: ReturnType<typeof aRecordingLog>;
let start: number;

beforeEach(() => {
  clock = new SteppedClock();
  log = aRecordingLog();
  start = clock.now();
});

function every(periodMs: number, handler: ScheduleOptions['target']['handler']): Schedule {
  const target = { name: 'resync', timeoutSeconds: 120, handler };
  return startSchedule({ name: 'resync', periodMs, target, clock, log });
}

describe('a local schedule', () => {
  it('makes its first call after the given delay', async () => {
    const events: ScheduledEvent[] = [];
    const target = { name: 'resync', timeoutSeconds: 120, handler: (event: ScheduledEvent) => void events.push(event) };
    const schedule = startSchedule({ name: 'resync', periodMs: 60_000, firstAfterMs: 0, target, clock, log });
    await clock.advance(60_000);
    await schedule.stop();
    expect(events.map(({ time }) => time)).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']);
  });

  it('calls its function once a period with a scheduled event, not before the first one has passed', async () => {
    const events: ScheduledEvent[] = [];
    const schedule = every(600_000, event => void events.push(event));
    await clock.advance(599_999);
    expect(events).toEqual([]);
    await clock.advance(600_001);
    await schedule.stop();
    expect(events.map(({ time }) => time)).toEqual(['2026-01-01T00:10:00Z', '2026-01-01T00:20:00Z']);
    expect(events[0]).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/resync'],
      detail: {},
    });
  });

  it('keeps its rate and skips the ticks that pass during a call', async () => {
    const starts: number[] = [];
    const schedule = every(10_000, async () => {
      starts.push(clock.now() - start);
      await clock.sleep(starts.length === 1 ? 25_000 : 1000);
    });
    await clock.advance(60_000);
    const stopping = schedule.stop();
    await clock.advance(1000);
    await stopping;
    expect(starts).toEqual([10_000, 40_000, 50_000, 60_000]);
  });

  it('logs a call that fails or hangs, and continues', async () => {
    let calls = 0;
    const schedule = every(200_000, () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('broken')) : new Promise(() => {});
    });
    await clock.advance(600_000);
    expect(calls).toBe(3);
    expect(log.lines.map(({ error }) => error)).toEqual(['broken', 'Function "resync" did not settle within 120 s']);
    const stopping = schedule.stop();
    await clock.advance(120_000);
    await stopping;
  });

  it('stops at once between calls', async () => {
    let calls = 0;
    const schedule = every(1000, () => {
      calls += 1;
    });
    await schedule.stop();
    await clock.advance(5000);
    expect([calls, clock.sleepers]).toEqual([0, 0]);
  });

  it.each([0, -1, Number.NaN])('refuses a period of %d ms', periodMs => {
    expect(() => every(periodMs, () => undefined)).toThrow(RangeError);
  });
});
