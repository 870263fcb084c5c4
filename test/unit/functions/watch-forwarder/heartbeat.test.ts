import { describe, expect, it } from 'vitest';
import { heartbeatMs, keepBeating } from '../../../../functions/watch-forwarder/heartbeat.ts';
import type { QueueSender, SendOutcome } from '../../../../shared/workqueue/port.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

function beating(answer: () => Promise<readonly SendOutcome[]> = async () => [{ ok: true }]) {
  const clock = new SteppedClock();
  const log = aRecordingLog();
  const stopping = new AbortController();
  const sent: string[] = [];
  const queues: QueueSender = {
    send: (queue, messages) => {
      sent.push(...messages.map(({ body }) => `${queue} ${body}`));
      return answer();
    },
  };
  const state = { problems: [] as readonly string[] };
  const ended = keepBeating({ queue: 'heartbeat', queues, clock, log, unready: () => state.problems }, stopping.signal);
  return { clock, log, sent, state, ended, stop: () => stopping.abort() };
}

describe('the heartbeat', () => {
  it('is sent once per period, names no object, and ends with the process', async () => {
    const { clock, sent, ended, stop } = beating();
    await clock.advance(3 * heartbeatMs);
    expect(sent).toEqual(Array(3).fill('heartbeat {}'));
    stop();
    await ended;
    expect(clock.sleepers).toBe(0);
  });

  it('pauses while changes are not forwarded', async () => {
    const { clock, sent, state, stop, ended } = beating();
    state.problems = ['Cluster was not listed yet'];
    await clock.advance(2 * heartbeatMs);
    expect(sent).toEqual([]);
    state.problems = [];
    await clock.advance(heartbeatMs);
    expect(sent).toHaveLength(1);
    stop();
    await ended;
  });

  it.each([
    { answer: async () => [{ ok: false, error: new Error('denied') }] as const, reason: 'refuses' },
    { answer: () => Promise.reject(new Error('denied')), reason: 'cannot be reached' },
  ])('continues if the queue $reason, and logs it', async ({ answer }) => {
    const { clock, log, sent, stop, ended } = beating(answer);
    await clock.advance(2 * heartbeatMs);
    expect(sent).toHaveLength(2);
    expect(log.lines).toMatchObject(Array(2).fill({ message: 'Sending a heartbeat failed', error: 'denied' }));
    stop();
    await ended;
  });
});
