// The limits of SQS. They are checked before a send, because emulators accept messages that SQS rejects.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
import type { OutgoingMessage, QueueName } from './port.ts';
import { isFifo } from './queue-names.ts';
import { maxDelaySeconds } from './timer-grid.ts';

export const maxBatchEntries = 10;
const maxBatchBytes = 1_048_576;
const maxMessageBytes = 1_048_576;

/** The valid characters: letters, digits and ASCII punctuation. */
const legalId = /^[!-~]{1,128}$/;
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const illegalInBody = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** The error if the queue would reject the message. The message was not sent. */
export class SendValidationError extends Error {
  override readonly name = 'SendValidationError';
}

/** Returns an error if the queue would reject the message. The error never quotes the body. */
export function validateMessage(queue: QueueName, message: OutgoingMessage): SendValidationError | undefined {
  const problem = problemOfBody(message.body) ?? (isFifo(queue) ? problemOnFifo(message) : problemOnStandard(message));
  return problem === undefined ? undefined : new SendValidationError(`Message for queue "${queue}" ${problem}`);
}

export function toBytes(message: OutgoingMessage): number {
  return Buffer.byteLength(message.body);
}

function problemOfBody(body: string): string | undefined {
  const bytes = Buffer.byteLength(body);
  if (bytes < 1 || bytes > maxMessageBytes) {
    return `has a body of ${bytes} bytes, not 1 to ${maxMessageBytes}`;
  }
  return illegalInBody.test(body) ? 'has a character in its body that SQS does not carry' : undefined;
}

function problemOnFifo(message: OutgoingMessage): string | undefined {
  if (message.delaySeconds !== undefined) {
    return 'has a delay, which a FIFO queue takes only as a whole';
  }
  return problemOfId('group id', message.groupId) ?? problemOfId('deduplication id', message.deduplicationId);
}

function problemOfId(label: string, id: string | undefined): string | undefined {
  if (id === undefined) {
    return `has no ${label}`;
  }
  return legalId.test(id) ? undefined : `has a ${label} that is not 1 to 128 letters, digits or punctuation`;
}

function problemOnStandard(message: OutgoingMessage): string | undefined {
  if (message.groupId !== undefined || message.deduplicationId !== undefined) {
    return 'has a group or deduplication id, which only FIFO queues use here';
  }
  const { delaySeconds = 0 } = message;
  const legal = Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= maxDelaySeconds;
  return legal ? undefined : `has a delay of ${delaySeconds} s, not a whole number from 0 to ${maxDelaySeconds}`;
}

/** Splits the items into batches within the limits of one call. Keeps their order. */
export function toBatches<T>(items: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let room = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    const current = batches.at(-1);
    if (current === undefined || current.length === maxBatchEntries || bytes > room) {
      batches.push([item]);
      room = maxBatchBytes - bytes;
    } else {
      current.push(item);
      room -= bytes;
    }
  }
  return batches;
}
