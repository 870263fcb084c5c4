// Messages that are rejected before a request is sent.
import { expect, it } from 'vitest';
import type { OutgoingMessage, QueueName } from '../../../../shared/workqueue/port.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import { fifo, type Prepare, standard, toGroup } from '../suite-queues.ts';

interface Refusal {
  readonly message: OutgoingMessage;
  readonly queue: QueueName;
  readonly reason: string;
}

const refused: readonly Refusal[] = [
  { queue: standard, message: { body: '' }, reason: 'has no body' },
  { queue: standard, message: { body: 'x'.repeat(1_048_577) }, reason: 'is larger than 1 MiB' },
  { queue: standard, message: { body: 'x', delaySeconds: 901 }, reason: 'is delayed by more than 900 s' },
  { queue: standard, message: { body: 'x', groupId: 'a' }, reason: 'names a group on a standard queue' },
  { queue: fifo, message: toGroup('g'.repeat(129), 'x'), reason: 'has a group id of 129 characters' },
  { queue: fifo, message: toGroup('a', 'x', 'has space'), reason: 'has an id with an illegal character' },
  { queue: fifo, message: { body: 'x', groupId: 'a' }, reason: 'has no deduplication id on FIFO' },
  { queue: fifo, message: { ...toGroup('a', 'x'), delaySeconds: 1 }, reason: 'has a delay of its own on FIFO' },
];

export function refusals(given: Prepare): void {
  it.each(refused)('rejects a message that $reason, and accepts the others', async ({ queue, message }) => {
    const on = given();
    const good = queue === fifo ? toGroup('good', 'good') : { body: 'good' };
    const [before, bad, after] = await on.queues.send(queue, [good, message, { ...good, body: 'good' }]);
    expect([before, after]).toEqual([{ ok: true }, { ok: true }]);
    expect(bad).toMatchObject({ ok: false, error: expect.any(SendValidationError) });
    expect(new Set(await on.drained(queue))).toEqual(new Set(['good']));
  });

  it('rejects every message for an unknown queue', async () => {
    const outcomes = await given().queues.send('unknown', [{ body: 'one' }, { body: 'two' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
  });
}
