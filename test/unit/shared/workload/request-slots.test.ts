import { type Answer, answered } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestSlots } from '../../../../shared/workload/request-slots.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

let clock: SteppedClock;
let slots: RequestSlots;
let sent: string[];
let ends: Map<string, () => void>;

beforeEach(() => {
  clock = new SteppedClock();
  slots = new RequestSlots(2, clock);
  sent = [];
  ends = new Map();
});

/** Sends a request that ends when the test calls `ends`. */
function send(label: string, signal = new AbortController().signal): Promise<Answer<string>> {
  return slots.send({
    label,
    signal,
    send: async () => {
      sent.push(label);
      await new Promise<void>(resolve => ends.set(label, resolve));
      return answered(label);
    },
  });
}

describe('the slots of requests', () => {
  it('are passed on in the order of the requests', async () => {
    const requests = ['a', 'b', 'c', 'd'].map(label => send(label));
    await clock.advance(0);
    expect(sent).toEqual(['a', 'b']);
    ends.get('b')?.();
    await clock.advance(0);
    expect(sent).toEqual(['a', 'b', 'c']);
    ends.get('a')?.();
    await clock.advance(0);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
    ends.get('c')?.();
    ends.get('d')?.();
    expect(await Promise.all(requests)).toEqual(['a', 'b', 'c', 'd'].map(answered));
    expect(clock.sleepers).toBe(0);
    void send('e');
    expect(sent.at(-1)).toBe('e');
  });

  it('are waited for 10 s', async () => {
    void send('a');
    void send('b');
    const late = send('c');
    await clock.advance(9_999);
    expect(clock.sleepers).toBe(1);
    await clock.advance(1);
    expect(await late).toMatchObject({ failure: { reason: 'TooManyRequests' } });
    ends.get('a')?.();
    await clock.advance(0);
    void send('d');
    expect(sent).toEqual(['a', 'b', 'd']);
  });

  it('are not waited for after the signal of the request', async () => {
    void send('a');
    void send('b');
    const controller = new AbortController();
    const waiting = send('c', controller.signal);
    controller.abort();
    expect(await waiting).toMatchObject({ failure: { reason: 'Aborted' } });
    expect(clock.sleepers).toBe(0);
  });

  it('are used if they become free at the moment of the abort', async () => {
    void send('a');
    void send('b');
    const controller = new AbortController();
    const waiting = send('c', controller.signal);
    await clock.advance(0);
    ends.get('a')?.();
    await Promise.resolve();
    controller.abort();
    await clock.advance(0);
    ends.get('c')?.();
    const answer = await waiting;
    expect([answer.ok, sent.length]).toEqual(answer.ok ? [true, 3] : [false, 2]);
    ends.get('b')?.();
    await clock.advance(0);
    void send('d');
    void send('e');
    expect(sent.slice(-2)).toEqual(['d', 'e']);
  });

  it('are freed by a request that throws', async () => {
    const failing = () =>
      slots.send({ label: 'x', signal: new AbortController().signal, send: () => Promise.reject(new Error('boom')) });
    for (let count = 0; count < 3; count += 1) {
      await expect(failing()).rejects.toThrow('boom');
    }
  });
});
