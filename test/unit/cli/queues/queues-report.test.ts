import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showQueues } from '../../../../cli/queues/command.ts';
import { type QueuesReport, readReport, toReportText } from '../../../../cli/queues/queues-report.ts';
import { redriveQueue } from '../../../../cli/redrive/command.ts';
import type { Redriven } from '../../../../cli/redrive/redrive.ts';
import { type LocalSqs, localClient, startSqs } from '../../../../local/sqs.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../../../shared/workqueue/sqs/sqs-queues.ts';

/** The lowest limit that SQS allows for the messages of a queue, in bytes. */
const largest = 1024;
const tooLarge = 'x'.repeat(largest + 1);

const empty = { visible: 0, inFlight: 0, delayed: 0 };

describe('what local queues hold', () => {
  let sqs: LocalSqs;
  beforeEach(async () => {
    sqs = await startSqs({ queues: toQueueSpecs(toConsumers([{ name: 'cluster', timeoutSeconds: 30 }])) });
    const queues = createSqsQueues({ queueUrls: sqs.queueUrls, client: localClient(sqs.endpoint) });
    await queues.send('delay', [{ body: '{}', delaySeconds: 900 }, { body: '{}' }]);
    await queues.send('work-cluster-dlq.fifo', [{ body: '{', groupId: 'g', deduplicationId: 'd' }]);
  });
  afterEach(() => sqs.stop());

  const targetOf = (kind: 'local' | 'sqs') => ({ kind, queueUrls: sqs.queueUrls });

  it('is counted per queue, with the age of the oldest and the dead letters', async () => {
    const queues = createSqsQueues({ queueUrls: sqs.queueUrls, client: localClient(sqs.endpoint) });
    const report = await readReport(targetOf('local'), { queues, now: Date.now() + 60_000 });
    expect(report).toEqual({
      source: 'local',
      queues: [
        { queue: 'work-cluster.fifo', ...empty, deadLetters: 1 },
        { queue: 'delay', visible: 1, inFlight: 0, delayed: 1, oldestSeconds: expect.any(Number), deadLetters: 0 },
        { queue: 'expand', ...empty, deadLetters: 0 },
      ],
    });
    expect(report.queues[1]?.oldestSeconds).toBeGreaterThanOrEqual(60);
  });

  it('is listed and moved by the commands', async () => {
    const printed: string[] = [];
    const print = (text: string): number => printed.push(text);
    const { signal: interrupted } = new AbortController();
    expect(await showQueues(targetOf('local'), { json: true }, print)).toBe(0);
    expect(JSON.parse(printed.join(''))).toMatchObject({ source: 'local', queues: [{ deadLetters: 1 }, {}, {}] });
    printed.length = 0;
    const options = { of: 'cluster', dryRun: false, json: false };
    expect(await redriveQueue(targetOf('local'), options, { print, interrupted })).toBe(0);
    expect(printed).toEqual([
      expect.stringMatching(/^1\/1 {2}moved {2}message \S+, which names no object, received 1 times, \d+ s old\n$/),
      '1 moved of 1 dead letters of queue work-cluster.fifo.\n',
    ]);
  });

  it.each([
    { bodies: ['small'], code: 0, reason: 'all were moved' },
    { bodies: ['small', tooLarge], code: 1, reason: 'one of several was refused' },
    { bodies: [tooLarge], code: 1, reason: 'all were refused' },
    { bodies: [], code: 0, reason: 'there are none' },
  ])('ends a redrive with exit code $code if $reason', async ({ bodies, code }) => {
    const client = localClient(sqs.endpoint);
    const Attributes = { MaximumMessageSize: String(largest) };
    await client.send(new SetQueueAttributesCommand({ QueueUrl: sqs.queueUrls['delay'], Attributes }));
    const queues = createSqsQueues({ queueUrls: sqs.queueUrls, client });
    await queues.send(
      'delay-dlq',
      bodies.map(body => ({ body })),
    );
    const printed: string[] = [];
    const { signal: interrupted } = new AbortController();
    const print = (text: string): number => printed.push(text);
    const options = { of: 'delay', dryRun: false, json: true };
    expect(await redriveQueue(targetOf('local'), options, { print, interrupted })).toBe(code);
    const { letters } = JSON.parse(printed.join('')) as Redriven; // true: the command prints it in this form
    const expected = bodies.map(body => (body === tooLarge ? 'refused' : 'moved'));
    expect(letters.map(({ outcome }) => outcome)).toEqual(expected);
  });

  it('is not available after the local run, which is reported in one line', async () => {
    await sqs.stop();
    await expect(showQueues(targetOf('local'), { json: false }, () => undefined)).rejects.toThrow(
      /failed: .*; check that the local run has not ended$/,
    );
    sqs = await startSqs({ queues: [] });
  });

  it('cannot be redriven without the URL of the dead-letter queue', async () => {
    const target = { kind: 'sqs', queueUrls: { delay: 'http://127.0.0.1:1/0/delay' } } as const;
    const { signal: interrupted } = new AbortController();
    const options = { of: 'delay', dryRun: true, json: false };
    await expect(redriveQueue(target, options, { print: () => undefined, interrupted })).rejects.toThrow(
      'The URL of dead-letter queue "delay-dlq" is not known; add it to CAPI_QUEUE_URLS',
    );
  });
});

describe('the overview for people', () => {
  const report: QueuesReport = {
    source: 'local',
    queues: [
      { queue: 'work-cluster.fifo', visible: 12, inFlight: 3, delayed: 0, oldestSeconds: 7, deadLetters: 2 },
      { queue: 'delay', ...empty, deadLetters: 0 },
    ],
  };

  it('is a table with the remedy for dead letters', () => {
    expect(toReportText(report).split('\n')).toEqual([
      'QUEUE              VISIBLE  IN FLIGHT  DELAYED  OLDEST  DEAD LETTERS',
      'work-cluster.fifo       12          3        0     7 s             2',
      'delay                    0          0        0       -             0',
      '',
      'npx capi-serverless redrive work-cluster.fifo --dry-run shows its dead letters; without --dry-run it moves them back.',
      '',
    ]);
  });

  it('reports that there are no dead letters', () => {
    expect(toReportText({ source: 'local', queues: [{ queue: 'delay', ...empty, deadLetters: 0 }] })).toMatch(
      /\n\nNo dead letters\.\n$/,
    );
  });

  it('reports values that SQS does not provide, and the missing URL', () => {
    expect(
      toReportText({ source: 'sqs', queues: [{ queue: 'delay', ...empty }] })
        .split('\n')
        .slice(1),
    ).toEqual([
      'delay        0          0        0       -             ?',
      '',
      'SQS does not report the age of messages: see the CloudWatch metric ApproximateAgeOfOldestMessage of each queue.',
      'CAPI_QUEUE_URLS names no dead-letter queue of delay: add delay-dlq.',
      '',
    ]);
  });
});
