import { expect, it } from 'vitest';
import { mostLetters, sendAgain } from '../../../../functions/resync/send-again.ts';
import type { Queues } from '../../../../shared/workqueue/port.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';
import { aDeclaration, aRecordingLog } from '../../../support/kernel.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const declarations = [aDeclaration()];
const specs = toQueueSpecs(toConsumers(declarations));
const known = Object.fromEntries(specs.map(({ name }) => [name, name]));

function aTimer(change: object = {}, name = 'a'): string {
  const key = { managementCluster: 'mgmt', group: 'g', kind: 'Widget', namespace: 'ns', name };
  return JSON.stringify({ v: 1, reconciler: 'widget', key, cause: 'timer', attempt: 0, trace: 't', ...change });
}

const anExpansion = (reconciler: string): string =>
  JSON.stringify({ v: 1, reconciler, source: { apiVersion: 'v1', kind: 'Policy' }, trace: 't' });

async function run(queue: string, bodies: readonly string[], change: Partial<Queues> = {}) {
  const clock = new SteppedClock();
  const queues = new MemoryQueues({ clock, queues: specs });
  await queues.send(
    queue,
    bodies.map(body => ({ body })),
  );
  const log = aRecordingLog();
  const used: Queues = {
    send: (...args) => queues.send(...args),
    receive: (...args) => queues.receive(...args),
    delete: (...args) => queues.delete(...args),
    depth: name => queues.depth(name),
    changeVisibility: (...args) => queues.changeVisibility(...args),
    ...change,
  };
  const ended = sendAgain({ declarations, known, log, queues: used, signal: new AbortController().signal }, queue);
  await clock.advance(2_000);
  const textsOf = (name: string) => queues.messages(name).map(({ body }) => body);
  return { sent: await ended, log, textsOf };
}

it('timers return to the delay queue', async () => {
  const { sent, textsOf, log } = await run('delay-dlq', [aTimer(), aTimer({}, 'b')]);
  expect(sent).toBe(2);
  expect(textsOf('delay')).toEqual([aTimer(), aTimer({}, 'b')]);
  expect(textsOf('delay-dlq')).toEqual([]);
  expect(log.lines).toMatchObject([{ message: 'Sent dead letters again', queue: 'delay', sent: 2, kept: 0 }]);
});

it('expansions return to the expand queue', async () => {
  const { sent, textsOf } = await run('expand-dlq', [anExpansion('widget')]);
  expect(sent).toBe(1);
  expect(textsOf('expand')).toEqual([anExpansion('widget')]);
  expect(textsOf('expand-dlq')).toEqual([]);
});

it.each([
  { queue: 'delay-dlq', body: 'nonsense', reason: 'it is not readable' },
  { queue: 'delay-dlq', body: aTimer({ reconciler: 'unknown' }), reason: 'its reconciler has no queue' },
  { queue: 'delay-dlq', body: aTimer({}, '..'), reason: 'no API server accepts its name' },
  { queue: 'expand-dlq', body: anExpansion('unknown'), reason: 'no reconciler selects by its source' },
])('a dead letter of $queue stays, because $reason', async ({ queue, body }) => {
  const { sent, textsOf, log } = await run(queue, [body]);
  expect(sent).toBe(0);
  expect(textsOf(queue)).toEqual([body]);
  expect(log.lines).toMatchObject([{ sent: 0, kept: 1 }]);
});

it('a dead letter that the queue refuses stays', async () => {
  const refused = { ok: false, error: new Error('Throttled') } as const;
  const { sent, textsOf } = await run('delay-dlq', [aTimer(), aTimer({}, 'b')], {
    send: async () => [{ ok: true }, refused],
  });
  expect(sent).toBe(1);
  expect(textsOf('delay-dlq')).toEqual([aTimer({}, 'b')]);
});

it('a failure is logged', async () => {
  const { sent, log } = await run('delay-dlq', [aTimer()], { receive: () => Promise.reject(new Error('denied')) });
  expect(sent).toBe(0);
  expect(log.lines[0]).toMatchObject({ message: 'Sending dead letters again failed', error: 'denied', queue: 'delay' });
});

it('one run sends a limited number', async () => {
  const bodies = Array.from({ length: mostLetters + 20 }, (_, index) => aTimer({}, `w${index}`));
  const { sent, textsOf } = await run('delay-dlq', bodies);
  expect(sent).toBe(mostLetters);
  expect(textsOf('delay-dlq')).toHaveLength(20);
});
