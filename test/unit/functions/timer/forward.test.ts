import { beforeEach, describe, expect, it } from 'vitest';
import { type ForwardOptions, forward } from '../../../../functions/timer/forward.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { parseRequest, type Request } from '../../../../shared/workqueue/message.ts';
import { delayQueue, workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const workQueue = workQueueOf('cluster');

describe('forwarding delayed requests', () => {
  let clock: SteppedClock;
  let queues: MemoryQueues;
  let options: ForwardOptions & { readonly log: ReturnType<typeof aRecordingLog> };
  let metrics: ReturnType<typeof createMetricsRegistry>;

  beforeEach(() => {
    clock = new SteppedClock();
    queues = new MemoryQueues({
      clock,
      queues: [
        { name: delayQueue, visibilityTimeoutSeconds: 60 },
        { name: workQueue, visibilityTimeoutSeconds: 60 },
      ],
    });
    metrics = createMetricsRegistry();
    options = {
      functionName: 'timer',
      queues,
      hasQueue: queue => queue === workQueue,
      clock,
      newId: () => 'new',
      metrics,
      log: aRecordingLog(),
    };
  });

  function aTimer(messageId: string, change: Partial<Request> = {}): { messageId: string; body: string } {
    const key = { managementCluster: '5f0c', group: 'g', kind: 'Cluster', namespace: 'default', name: 'prod' };
    const request = { v: 1, reconciler: 'cluster', key, cause: 'timer', attempt: 0, due: clock.now(), trace: 't' };
    return { messageId, body: JSON.stringify({ ...request, ...change }) };
  }

  const bodies = (queue: string) => queues.messages(queue).map(({ body }) => parseRequest(body).trace);

  const errors = () => options.log.lines.filter(({ level }) => level === 'error');

  it('enqueues due objects and delays early ones again', async () => {
    const early = aTimer('m2', { trace: 'early', due: clock.now() + 90_000 });
    expect(await forward(options, [aTimer('m1', { trace: 'due' }), early])).toEqual([]);
    expect(bodies(workQueue)).toEqual(['due']);
    expect(bodies(delayQueue)).toEqual(['early']);
    await clock.advance(89_999);
    expect(queues.messages(delayQueue)[0]?.state).toBe('delayed');
  });

  it('acknowledges a request for a name that no object has, and logs an error', async () => {
    const key = { managementCluster: '5f0c', group: 'g', kind: 'Cluster', namespace: 'default', name: '%2e' };
    expect(await forward(options, [aTimer('m1', { key }), aTimer('m2')])).toEqual([]);
    expect(bodies(workQueue)).toEqual(['t']);
    expect(errors()).toMatchObject([{ message: 'Refusing a message', messageId: 'm1', reason: 'invalid_name' }]);
  });

  it('enqueues an object with an impossible due time, and logs an error', async () => {
    expect(await forward(options, [aTimer('m1', { due: Number.MAX_SAFE_INTEGER })])).toEqual([]);
    expect(bodies(workQueue)).toEqual(['t']);
    expect(errors()).toMatchObject([
      { message: 'Enqueueing an object before its due time', messageId: 'm1', trace: 't' },
    ]);
  });

  it('enqueues an object once if a timer is delivered twice', async () => {
    expect(await forward(options, [aTimer('m1')])).toEqual([]);
    expect(await forward(options, [aTimer('m1 again')])).toEqual([]);
    expect(bodies(workQueue)).toHaveLength(1);
  });

  it('forwards a long wait over several delays, and never early', async () => {
    const due = clock.now() + 2000_000;
    await queues.send(delayQueue, [{ body: aTimer('', { due }).body }]);
    while (bodies(workQueue).length === 0) {
      const [message] = await queues.receive(delayQueue, { max: 1, waitSeconds: 0 });
      if (message === undefined) {
        await clock.advance((queues.nextVisibleAt(delayQueue) ?? Number.NaN) - clock.now());
      } else {
        expect(await forward(options, [message])).toEqual([]);
        await queues.delete(delayQueue, [message.receiptHandle]);
      }
    }
    expect(clock.now()).toBe(due);
    expect(queues.messages(delayQueue)).toEqual([]);
  });

  it('does not acknowledge a message whose follow-up no queue accepted', async () => {
    const send: ForwardOptions['queues']['send'] = async (queue, messages) =>
      queue === workQueue ? messages.map((_, n) => (n === 1 ? refused : { ok: true })) : queues.send(queue, messages);
    const refused = { ok: false, error: new Error('queue is down') } as const;
    const later = aTimer('later', { due: clock.now() + 60_000 });
    expect(await forward({ ...options, queues: { send } }, [aTimer('m1'), later, aTimer('m2')])).toEqual(['m2']);
    expect(errors()).toMatchObject([{ messageId: 'm2', queue: workQueue, trace: 't' }]);
    expect(metrics.snapshot()).toMatchObject([{ name: 'capi_serverless_failed_follow_ups_total', count: 1 }]);
  });

  it('reports poison messages with a reason, and forwards the others', async () => {
    const poison = [{ messageId: 'bad', body: '{' }, aTimer('gone', { reconciler: 'gone' })];
    expect(await forward(options, [...poison, aTimer('m1')])).toEqual(['bad', 'gone']);
    expect(bodies(workQueue)).toHaveLength(1);
    expect(errors()).toMatchObject([
      { messageId: 'bad', reason: 'unreadable', level: 'error' },
      { messageId: 'gone', reason: 'unknown_reconciler', level: 'error' },
    ]);
  });
});
