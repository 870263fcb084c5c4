// Polls one queue and invokes one function, as Lambda's event source mapping does. Supports partial batch responses.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
import { hash } from 'node:crypto';
import { type Clock, withoutUndefined } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { type InvocationFact, invocations } from '../shared/diagnostics/channels.ts';
import type { QueueName, QueueReceiver, ReceivedMessage } from '../shared/workqueue/port.ts';
import { type Invoked, invoke, type LocalFunction, localAccount, localRegion } from './local-lambda.ts';

export interface EventSourceMappingOptions {
  readonly queue: QueueName;
  readonly queues: Pick<QueueReceiver, 'receive' | 'delete'>;
  readonly target: LocalFunction<SQSEvent>;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum number of concurrent invocations. Default: 10. */
  readonly maximumConcurrency?: number;
  /** The maximum number of messages per invocation, from 1 to 10. */
  readonly batchSize: number;
  /** The duration of a long poll in seconds. Default and maximum: 20. */
  readonly waitSeconds?: number;
}

export interface EventSourceMapping {
  /** The number of invocations in progress. */
  readonly running: number;
  /** Stops receiving. Resolves when every batch in progress has finished or timed out. */
  stop(): Promise<void>;
}

const longestPollSeconds = 20;
const defaultConcurrency = 10;
const firstGapMs = 100;
const longestGapMs = 10_000;

/**
 * Starts polling immediately. Messages that the function reports as failed stay in the queue and become visible again
 * later. If the invocation throws, times out or returns an invalid response, the whole batch fails.
 */
export function startEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const polling = poll(options, running, stopping.signal);
  return {
    get running() {
      return running.size;
    },
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };
}

async function poll(options: EventSourceMappingOptions, running: Set<Promise<void>>, stop: AbortSignal): Promise<void> {
  const { queue, queues, clock, log, maximumConcurrency = defaultConcurrency } = options;
  const request = {
    max: options.batchSize,
    waitSeconds: options.waitSeconds ?? longestPollSeconds,
    signal: stop,
  };
  let failures = 0;
  while (!stop.aborted) {
    try {
      const messages = await queues.receive(queue, request);
      failures = 0;
      if (messages.length > 0) {
        start(serve(options, messages), running);
      }
    } catch (error) {
      failures += 1;
      const gapMs = Math.min(longestGapMs, firstGapMs * 2 ** (failures - 1));
      log.error('Receiving messages failed', error, { queue, failures, gapMs });
      await clock.sleep(gapMs, stop);
    }
    while (running.size >= maximumConcurrency) {
      await Promise.race(running);
    }
  }
}

function start(work: Promise<void>, running: Set<Promise<void>>): void {
  const entry = work.finally(() => running.delete(entry));
  running.add(entry);
}

/** Runs one invocation. Never rejects. */
async function serve(options: EventSourceMappingOptions, messages: readonly ReceivedMessage[]): Promise<void> {
  const { queue, queues, target, clock, log } = options;
  const startedAt = performance.now();
  const event = { Records: messages.map(message => toRecord(queue, message)) };
  const verdict = toVerdict(await invoke(target, event, clock), messages);
  if (verdict.error !== undefined) {
    log.error('Invoking a function failed', verdict.error, { function: target.name, messages: messages.length });
  }
  const done = messages.filter(({ messageId }) => !verdict.failed.has(messageId));
  try {
    await queues.delete(
      queue,
      done.map(({ receiptHandle }) => receiptHandle),
    );
  } catch (error) {
    log.error('Deleting served messages failed', error, { queue, messages: done.length });
  }
  const fact: InvocationFact = {
    functionName: target.name,
    messages: messages.length,
    failures: verdict.failed.size,
    startedAt,
    endedAt: performance.now(),
  };
  invocations.publish(fact);
}

interface Verdict {
  /** The ids of the messages that stay in the queue. */
  readonly failed: ReadonlySet<string>;
  /** The reason why the whole batch failed. */
  readonly error?: Error;
}

/**
 * An empty response, or a response without failures, is a success. A response with an unknown message id fails the
 * whole batch.
 */
export function toVerdict(invoked: Invoked, messages: readonly Pick<ReceivedMessage, 'messageId'>[]): Verdict {
  const all = new Set(messages.map(({ messageId }) => messageId));
  if (!invoked.ok) {
    return { failed: all, error: invoked.error };
  }
  const ids = toFailedIds(invoked.response);
  if (ids === undefined || ids.some(id => !all.has(id))) {
    return { failed: all, error: new Error('The function answered with an invalid partial batch response') };
  }
  return { failed: new Set(ids) };
}

/** Returns `undefined` if the response is not a partial batch response. */
function toFailedIds(response: unknown): readonly string[] | undefined {
  if (response === undefined || response === null) {
    return [];
  }
  if (typeof response !== 'object') {
    return undefined;
  }
  const failures: unknown = 'batchItemFailures' in response ? response.batchItemFailures : [];
  if (failures === null || failures === undefined) {
    return [];
  }
  if (!Array.isArray(failures)) {
    return undefined;
  }
  const ids = failures.map(toFailedId);
  return ids.every(id => id !== undefined) ? ids : undefined;
}

function toFailedId(failure: unknown): string | undefined {
  const named = typeof failure === 'object' && failure !== null && 'itemIdentifier' in failure;
  return named && typeof failure.itemIdentifier === 'string' ? failure.itemIdentifier : undefined;
}

/** The message as an SQS record of the Lambda event. */
export function toRecord(queue: QueueName, { messageId, receiptHandle, body, attributes }: ReceivedMessage): SQSRecord {
  const { groupId, deduplicationId, sequenceNumber } = attributes;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: {
      ApproximateReceiveCount: String(attributes.receiveCount),
      // SQS reports whole milliseconds.
      SentTimestamp: String(Math.floor(attributes.sentAtMs)),
      SenderId: localAccount,
      ApproximateFirstReceiveTimestamp: String(attributes.firstReceivedAtMs ?? attributes.sentAtMs),
      ...withoutUndefined({
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
        SequenceNumber: sequenceNumber,
      }),
    },
    messageAttributes: {},
    md5OfBody: hash('md5', body, 'hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${localRegion}:${localAccount}:${queue}`,
    awsRegion: localRegion,
  };
}
