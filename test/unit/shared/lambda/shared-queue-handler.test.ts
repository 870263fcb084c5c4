import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharedQueueHandler } from '../../../../shared/lambda/shared-queue-handler.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { type Request, toBody } from '../../../../shared/workqueue/message.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { aContext, anSqsEvent, anSqsRecord } from '../../../support/lambda-events.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

let clock: SteppedClock;
let log: ReturnType<typeof aRecordingLog>;
let metrics: ReturnType<typeof createMetricsRegistry>;
let loads: string[];
let calls: { reconciler: string; ids: string[]; remainingMs: number }[];
let failing: Readonly<Record<string, readonly string[] | Error>>;

beforeEach(() => {
  clock = new SteppedClock();
  log = aRecordingLog();
  metrics = createMetricsRegistry();
  loads = [];
  calls = [];
  failing = {};
});

const request: Request = {
  v: 1,
  reconciler: 'cluster',
  key: { managementCluster: 'mgmt', group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'ns', name: 'one' },
  cause: 'event',
  attempt: 0,
  trace: 't',
};

function aMessage(messageId: string, reconciler: string): SQSRecord {
  return anSqsRecord({ messageId, body: toBody({ ...request, reconciler }) });
}

function run(event: unknown, names: readonly string[] = ['cluster', 'topology', 'broken']): Promise<SQSBatchResponse> {
  const toLoad = (reconciler: string) => async () => {
    loads.push(reconciler);
    if (reconciler === 'broken') {
      throw new Error('no such chunk');
    }
    return {
      handler: async (given: unknown, context: ReturnType<typeof aContext>): Promise<SQSBatchResponse> => {
        const { Records } = given as SQSEvent; // true: the handler under test makes it
        const ids = Records.map(({ messageId }) => messageId);
        calls.push({ reconciler, ids, remainingMs: context.getRemainingTimeInMillis() });
        const failure = failing[reconciler] ?? [];
        if (failure instanceof Error) {
          throw failure;
        }
        return { batchItemFailures: failure.map(itemIdentifier => ({ itemIdentifier })) };
      },
    };
  };
  const handlers = Object.fromEntries(names.map(name => [name, toLoad(name)]));
  const handler = sharedQueueHandler({ functionName: 'all-reconcilers', log, clock, metrics, handlers });
  return handler(event, aContext(clock, 120));
}

const failedIds = ({ batchItemFailures }: SQSBatchResponse): readonly string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
const refusals = () => metrics.snapshot().map(({ labels, count }) => ({ ...labels, count }));

describe('a queue that reconcilers share', () => {
  it('passes each message to its reconciler, in order and with the time of the function', async () => {
    const event = anSqsEvent(aMessage('m1', 'cluster'), aMessage('m2', 'topology'), aMessage('m3', 'cluster'));
    expect(await run(event)).toEqual({ batchItemFailures: [] });
    expect(calls).toEqual([
      { reconciler: 'cluster', ids: ['m1', 'm3'], remainingMs: 120_000 },
      { reconciler: 'topology', ids: ['m2'], remainingMs: 120_000 },
    ]);
  });

  it('loads no other reconciler', async () => {
    await run(anSqsEvent(aMessage('m1', 'topology')));
    expect(loads).toEqual(['topology']);
  });

  it('reports the failed messages of every reconciler', async () => {
    failing = { cluster: ['m1'], topology: ['m2'] };
    const event = anSqsEvent(aMessage('m1', 'cluster'), aMessage('m2', 'topology'), aMessage('m3', 'topology'));
    expect(failedIds(await run(event))).toEqual(['m1', 'm2']);
  });

  it.each([
    { reconciler: 'cluster', problem: 'it stopped', reason: 'its handler throws' },
    { reconciler: 'broken', problem: 'no such chunk', reason: 'it cannot be loaded' },
  ])('fails only the messages of a reconciler if $reason', async ({ reconciler, problem }) => {
    failing = { cluster: new Error('it stopped') };
    const event = anSqsEvent(aMessage('m1', reconciler), aMessage('m2', 'topology'), aMessage('m3', reconciler));
    expect(failedIds(await run(event))).toEqual(['m1', 'm3']);
    expect(calls.at(-1)).toMatchObject({ reconciler: 'topology', ids: ['m2'] });
    expect(log.lines).toContainEqual({
      level: 'error',
      message: 'Serving the messages of a reconciler failed',
      controller: reconciler,
      error: problem,
    });
  });

  it.each([
    { body: 'nonsense', reason: 'unreadable', problem: 'Message body is not JSON' },
    {
      body: toBody({ ...request, reconciler: 'machine' }),
      reason: 'unknown_reconciler',
      problem: 'Message is for reconciler machine, which does not run here',
    },
    {
      body: toBody({ ...request, reconciler: 'constructor' }),
      reason: 'unknown_reconciler',
      problem: 'Message is for reconciler constructor, which does not run here',
    },
  ])('refuses and counts a message that is $reason, and serves the others', async ({ body, reason, problem }) => {
    const event = anSqsEvent(anSqsRecord({ messageId: 'bad', body }), aMessage('m1', 'cluster'));
    expect(failedIds(await run(event))).toEqual(['bad']);
    expect(calls).toMatchObject([{ reconciler: 'cluster', ids: ['m1'] }]);
    expect(refusals()).toContainEqual({ controller: 'all-reconcilers', reason, count: 1 });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ message: 'Refusing a message', messageId: 'bad', reason, error: problem }),
    );
  });

  it('refuses a record that is not a message', async () => {
    const event = { Records: [{ ...anSqsRecord({ messageId: 'bad' }), body: 7 }, aMessage('m1', 'cluster')] };
    expect(failedIds(await run(event))).toEqual(['bad']);
    expect(calls).toMatchObject([{ ids: ['m1'] }]);
  });

  it.each([{ Records: [] }, {}, undefined])('throws on an event without messages: %j', async event => {
    await expect(run(event)).rejects.toThrow(
      'Function "all-reconcilers" was called with an event that holds no queue messages',
    );
    expect(loads).toEqual([]);
  });
});
