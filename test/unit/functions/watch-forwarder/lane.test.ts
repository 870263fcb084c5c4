import { describe, expect, it } from 'vitest';
import { Lane } from '../../../../functions/watch-forwarder/lane.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import type { OutgoingMessage, QueueSender, SendOutcome } from '../../../../shared/workqueue/port.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const accepted: SendOutcome = { ok: true };

/** A running lane. `answer` returns the result of each call. The bodies of calls are recorded. */
function aRunningLane(answer: (bodies: readonly string[]) => Promise<readonly SendOutcome[]>): {
  readonly lane: Lane<string>;
  readonly clock: SteppedClock;
  readonly calls: (readonly string[])[];
  readonly log: ReturnType<typeof aRecordingLog>;
  readonly stopping: AbortController;
} {
  const clock = new SteppedClock();
  const log = aRecordingLog();
  const calls: (readonly string[])[] = [];
  const queues: QueueSender = {
    send(_queue: string, messages: readonly OutgoingMessage[]) {
      const bodies = messages.map(({ body }) => body);
      calls.push(bodies);
      return answer(bodies);
    },
  };
  const lane = new Lane<string>({
    queue: 'work-widget.fifo',
    queues,
    toMessage: ({ target }) => ({ body: target }),
    clock,
    log,
    metrics: createMetricsRegistry(),
  });
  const stopping = new AbortController();
  void lane.run(stopping.signal);
  return { lane, clock, calls, log, stopping };
}

function offer(lane: Lane<string>, ...keys: readonly string[]): void {
  for (const key of keys) {
    lane.offer({ key, target: key, cause: 'event', source: undefined });
  }
}

describe('a lane', () => {
  it('collects changes during a slow send for the next one', async () => {
    const pending: (() => void)[] = [];
    const { lane, clock, calls } = aRunningLane(async bodies => {
      await new Promise<void>(resolve => pending.push(resolve));
      return bodies.map(() => accepted);
    });
    offer(lane, 'a');
    await clock.advance(0);
    offer(lane, 'b');
    await clock.advance(5);
    offer(lane, 'c');
    await clock.advance(5);
    expect(calls).toEqual([['a']]);
    expect(lane.pending).toBe(3);
    pending.shift()?.();
    await clock.advance(0);
    expect(calls).toEqual([['a'], ['b', 'c']]);
    pending.shift()?.();
    await clock.advance(0);
    expect(lane.pending).toBe(0);
  });

  it('sends at most a hundred at once', async () => {
    const { lane, clock, calls } = aRunningLane(async bodies => bodies.map(() => accepted));
    offer(lane, ...Array.from({ length: 250 }, (_, index) => `k${index}`));
    await clock.advance(0);
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('drops a message that no queue can accept, and no other', async () => {
    const { lane, clock, calls, log } = aRunningLane(async bodies =>
      bodies.map(body => (body === 'bad' ? { ok: false, error: new SendValidationError('body is empty') } : accepted)),
    );
    offer(lane, 'bad', 'good');
    await clock.advance(10_000);
    expect(calls).toEqual([['bad', 'good']]);
    expect(lane.pending).toBe(0);
    expect(log.lines).toMatchObject([
      { message: 'Dropping a message that no queue can accept', error: 'body is empty' },
    ]);
  });

  it('sends pending messages at once when it stops, although an outage has paused it', async () => {
    let isDown = true;
    const { lane, clock, calls, stopping } = aRunningLane(async bodies => {
      if (isDown) {
        throw new Error('Socket closed');
      }
      return bodies.map(() => accepted);
    });
    offer(lane, 'a');
    await clock.advance(120_000);
    const tries = calls.length;
    isDown = false;
    stopping.abort();
    await clock.advance(0);
    expect(calls.length - tries).toBe(1);
    expect(lane.pending).toBe(0);
  });

  it('retries refused messages after their window, without an outage, if others were accepted', async () => {
    let refusals = 1;
    const { lane, clock, calls } = aRunningLane(async bodies =>
      bodies.map(body => {
        refusals -= body === 'b' ? 1 : 0;
        return body === 'b' && refusals >= 0 ? { ok: false, error: new Error('Throttled') } : accepted;
      }),
    );
    offer(lane, 'a', 'b');
    await clock.advance(10);
    offer(lane, 'c');
    await clock.advance(10);
    expect(calls).toEqual([['a', 'b'], ['c']]);
    await clock.advance(1_000);
    expect(calls).toEqual([['a', 'b'], ['c'], ['b']]);
  });

  it.each([
    {
      answer: () => Promise.reject(new Error('Socket closed')),
      error: 'Socket closed',
      reason: 'a sender that throws is unreachable',
    },
    {
      answer: async () => [],
      error: 'The sender returned no result for this message',
      reason: 'a missing result is not an acceptance',
    },
  ])('keeps everything: $reason', async ({ answer, error }) => {
    const { lane, clock, log } = aRunningLane(answer);
    offer(lane, 'a');
    await clock.advance(0);
    expect(lane.pending).toBe(1);
    expect(log.lines).toMatchObject([{ message: 'Sending messages failed, keeping them', error, retryAfterMs: 250 }]);
  });
});
