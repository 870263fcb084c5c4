// The queues port on SQS, or on a server with the API of SQS.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html

import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { OutgoingMessage, QueueDepth, QueueName, Queues, ReceivedMessage, SendOutcome } from '../port.ts';
import { findActualQueue } from '../queue-names.ts';
import { maxBatchEntries, toBatches, toBytes, validateMessage } from '../send-limits.ts';
import { createSqsClient } from './sqs-client.ts';

/** The maximum number of concurrent batches of one `send`. */
const concurrentBatches = 4;
/** The timeout of a call including its retries, in addition to its `waitSeconds`. */
const callTimeoutMs = 8_000;

/** The error if a call to SQS failed after its retries. `cause` is the SDK's error, if the SDK threw one. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

interface SqsQueuesOptions {
  /** The queue URLs by queue name. All have the same endpoint. */
  readonly queueUrls: Readonly<Record<QueueName, string>>;
  /** Default: a client for this endpoint. */
  readonly client?: SQSClient;
  /** Multiplies the timeout of calls. Default: 1. */
  readonly timeLimitFactor?: number;
}

interface Indexed {
  readonly index: number;
  readonly message: OutgoingMessage;
}

type ReceiveOptions = Parameters<Queues['receive']>[1];

/** The order of messages is preserved within a batch of ten, but not between the batches of one `send`. */
export function createSqsQueues(options: SqsQueuesOptions): Queues {
  return new SqsQueues(options);
}

class SqsQueues implements Queues {
  readonly #client: SQSClient;
  readonly #urls: Readonly<Record<QueueName, string>>;
  readonly #callTimeoutMs: number;

  constructor({ queueUrls, client, timeLimitFactor = 1 }: SqsQueuesOptions) {
    this.#callTimeoutMs = callTimeoutMs * timeLimitFactor;
    this.#client = client ?? createSqsClient(queueUrls);
    // An event source mapping uses the physical queue name, which can have the deployment's name as prefix.
    const physical = Object.values(queueUrls).map(url => [new URL(url).pathname.split('/').at(-1) ?? '', url] as const);
    this.#urls = { ...Object.fromEntries(physical), ...queueUrls };
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]> {
    const outcomes = messages.map((message): SendOutcome => {
      const error = validateMessage(queue, message);
      return error === undefined ? { ok: true } : { ok: false, error };
    });
    const valid = messages.map((message, index) => ({ index, message })).filter(({ index }) => outcomes[index]?.ok);
    const batches = toBatches(valid, ({ message }) => toBytes(message)).values();
    const work = async (): Promise<void> => {
      for (const batch of batches) {
        for (const [index, error] of await this.#sendBatch(queue, batch)) {
          outcomes[index] = { ok: false, error };
        }
      }
    };
    await Promise.all(Array.from({ length: concurrentBatches }, work));
    return outcomes;
  }

  async receive(queue: QueueName, { max, waitSeconds, signal }: ReceiveOptions): Promise<readonly ReceivedMessage[]> {
    if (signal?.aborted === true) {
      return [];
    }
    const timeout = AbortSignal.timeout(waitSeconds * 1000 + this.#callTimeoutMs);
    try {
      const { Messages: messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#urlOf(queue),
          MaxNumberOfMessages: max,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['All'],
        }),
        { abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) },
      );
      return messages.map(toReceived);
    } catch (cause) {
      // `aborted` may have changed during the call. The compiler assumes the value of the check above.
      if ((signal as AbortSignal | undefined)?.aborted === true) {
        return [];
      }
      throw new QueueError(`Receiving from queue "${queue}" failed: ${textOf(cause)}`, { cause });
    }
  }

  async delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void> {
    await this.#forHandles({ queue, action: 'Deleting' }, receiptHandles, entries =>
      this.#client.send(
        new DeleteMessageBatchCommand({ QueueUrl: this.#urlOf(queue), Entries: entries }),
        this.#timely(),
      ),
    );
  }

  async changeVisibility(queue: QueueName, receiptHandles: readonly string[], seconds: number): Promise<void> {
    await this.#forHandles({ queue, action: 'Changing the visibility of' }, receiptHandles, entries => {
      const timed = entries.map(entry => ({ ...entry, VisibilityTimeout: seconds }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: this.#urlOf(queue), Entries: timed });
      return this.#client.send(command, this.#timely());
    });
  }

  async depth(queue: QueueName): Promise<QueueDepth> {
    try {
      const command = new GetQueueAttributesCommand({ QueueUrl: this.#urlOf(queue), AttributeNames: [...depthNames] });
      const { Attributes: attributes = {} } = await this.#client.send(command, this.#timely());
      const [visible, inFlight, delayed] = depthNames.map(name => Number(attributes[name] ?? 0));
      return { visible: visible ?? 0, inFlight: inFlight ?? 0, delayed: delayed ?? 0 };
    } catch (cause) {
      throw new QueueError(`Reading the depth of queue "${queue}" failed: ${textOf(cause)}`, { cause });
    }
  }

  /** Returns the errors of the messages that the queue did not accept, by index. Never throws. */
  async #sendBatch(queue: QueueName, batch: readonly Indexed[]): Promise<ReadonlyMap<number, Error>> {
    const what = `Sending to queue "${queue}"`;
    try {
      const command = new SendMessageBatchCommand({ QueueUrl: this.#urlOf(queue), Entries: batch.map(toEntry) });
      const { Successful: accepted = [], Failed: failed = [] } = await this.#client.send(command, this.#timely());
      const errors = new Map(failed.map(entry => [Number(entry.Id), toEntryError(what, entry)]));
      for (const { index } of batch) {
        // A message that the answer does not confirm is treated as failed, so that its cause is not acknowledged.
        if (!errors.has(index) && !accepted.some(({ Id: id }) => id === String(index))) {
          errors.set(index, new QueueError(`${what} failed: the answer does not mention the message`));
        }
      }
      return errors;
    } catch (cause) {
      const error = new QueueError(`${what} failed: ${textOf(cause)}`, { cause });
      return new Map(batch.map(({ index }) => [index, error]));
    }
  }

  /** Calls SQS with ten handles at a time. Ignores handles that SQS rejects. Throws on failures of SQS. */
  async #forHandles(
    { queue, action }: { readonly queue: QueueName; readonly action: string },
    receiptHandles: readonly string[],
    call: (
      entries: { Id: string; ReceiptHandle: string }[],
    ) => Promise<{ Failed?: BatchResultErrorEntry[] | undefined }>,
  ): Promise<void> {
    const what = `${action} messages of queue "${queue}"`;
    const entries = receiptHandles.map((handle, index) => ({ Id: String(index), ReceiptHandle: handle }));
    for (let from = 0; from < entries.length; from += maxBatchEntries) {
      const { Failed: failed = [] } = await call(entries.slice(from, from + maxBatchEntries)).catch(cause => {
        throw new QueueError(`${what} failed: ${textOf(cause)}`, { cause });
      });
      const fault = failed.find(({ SenderFault: ours }) => ours !== true);
      if (fault !== undefined) {
        throw toEntryError(what, fault);
      }
    }
  }

  #timely(): { readonly abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.#callTimeoutMs) };
  }

  #urlOf(queue: QueueName): string {
    const url = this.#urls[findActualQueue(queue, this.#urls) ?? queue];
    if (url === undefined) {
      throw new QueueError(`No URL is known for queue "${queue}"`);
    }
    return url;
  }
}

const depthNames = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

function textOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

function toEntryError(what: string, entry: BatchResultErrorEntry): QueueError {
  return new QueueError(`${what} failed: ${entry.Code ?? 'no code'}: ${entry.Message ?? 'no message'}`);
}

function toEntry({ index, message }: Indexed): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: message.body,
    ...withoutUndefined({
      DelaySeconds: message.delaySeconds,
      MessageGroupId: message.groupId,
      MessageDeduplicationId: message.deduplicationId,
    }),
  };
}

function toReceived(message: Message): ReceivedMessage {
  const attributes = message.Attributes ?? {};
  const firstReceivedAt = attributes.ApproximateFirstReceiveTimestamp;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      receiveCount: Number(attributes.ApproximateReceiveCount ?? 1),
      sentAtMs: Number(attributes.SentTimestamp ?? 0),
      ...(firstReceivedAt === undefined ? {} : { firstReceivedAtMs: Number(firstReceivedAt) }),
      ...withoutUndefined({
        groupId: attributes.MessageGroupId,
        deduplicationId: attributes.MessageDeduplicationId,
        sequenceNumber: attributes.SequenceNumber,
      }),
    },
  };
}
