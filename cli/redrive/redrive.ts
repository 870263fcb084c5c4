// Moves dead letters back to their queue. A dead letter is deleted only after the queue has accepted it.
import { type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { type NewId, toGroupId, toRecheckId } from '../../shared/workqueue/ids.ts';
import { parseRequest, type Request, toKeyText } from '../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueName, Queues, ReceivedMessage } from '../../shared/workqueue/port.ts';
import { deadLetterQueueOf, isFifo } from '../../shared/workqueue/queue-names.ts';

/** The printed facts of a dead letter. They never include its body. */
export interface DeadLetter {
  readonly messageId: string;
  /** Absent if it contains no object name: an unreadable message, or a message of the expand queue. */
  readonly key?: string;
  readonly cause?: string;
  readonly trace?: string;
  readonly attempt?: number;
  readonly receiveCount: number;
  readonly ageSeconds: number;
  /** `shown` means that it was printed and not moved. */
  readonly outcome: 'shown' | 'moved' | 'refused';
  /** The reason why the queue refused it. */
  readonly problem?: string;
}

export interface RedriveInput {
  readonly queue: QueueName;
  /** Selects the dead letters of one reconciler. Default: all. Unreadable ones belong to no reconciler. */
  readonly reconciler?: string;
  readonly dryRun: boolean;
  readonly queues: Queues;
  readonly now: () => Instant;
  readonly newId: NewId;
  /** Called for each dead letter when its outcome is known. `of` is the initial number of dead letters. */
  readonly report: (letter: DeadLetter, number: number, of: number) => void;
  readonly signal: AbortSignal;
}

export interface Redriven {
  readonly queue: QueueName;
  readonly letters: readonly DeadLetter[];
  /** The initial number of dead letters. SQS reports an approximate number. */
  readonly found: number;
  /** The number of dead letters that were received and belong to other reconcilers or to none. They stay. */
  readonly others: number;
}

const batchSize = 10;
/** SQS is distributed. A short poll of a non-empty queue can return nothing. */
const waitSeconds = 1;

/**
 * Prints each selected dead letter once. Unless it is a dry run, moves it back with a new id, because the queue may deduplicate
 * the old id. Messages that become dead letters again in the meantime stay for the next call. Throws QueueError if the
 * dead-letter queue cannot be read. Messages that were moved before stay moved.
 */
export async function redrive(options: RedriveInput): Promise<Redriven> {
  const { queue, reconciler, queues, dryRun, report, signal } = options;
  const deadLetterQueue = deadLetterQueueOf(queue);
  const { visible, inFlight, delayed } = await queues.depth(deadLetterQueue);
  const found = visible + inFlight + delayed;
  const letters: DeadLetter[] = [];
  const kept: string[] = [];
  const seen = new Set<string>();
  try {
    while (!signal.aborted && seen.size < found) {
      const received = await queues.receive(deadLetterQueue, { max: batchSize, waitSeconds, signal });
      const fresh = received.filter(({ messageId }) => !seen.has(messageId));
      if (fresh.length === 0) {
        break;
      }
      const selected = fresh.filter(
        ({ body }) => reconciler === undefined || readRequest(body)?.reconciler === reconciler,
      );
      const others = fresh.filter(message => !selected.includes(message));
      kept.push(...others.map(({ receiptHandle }) => receiptHandle));
      for (const { messageId } of others) {
        seen.add(messageId);
      }
      const ended: readonly Ended[] = dryRun
        ? selected.map(message => ({ message }))
        : await moveBack(options, selected);
      for (const { message, problem } of ended) {
        seen.add(message.messageId);
        const letter = toLetter(options, message, problem);
        letters.push(letter);
        report(letter, letters.length, found);
        if (letter.outcome !== 'moved') {
          kept.push(message.receiptHandle);
        }
      }
    }
  } finally {
    // Messages that were only printed become visible again immediately.
    await queues.changeVisibility(deadLetterQueue, kept, 0);
  }
  return { queue, letters, found, others: seen.size - letters.length };
}

interface Ended {
  readonly message: ReceivedMessage;
  readonly problem?: string;
}

async function moveBack(
  { queue, queues, newId }: RedriveInput,
  messages: readonly ReceivedMessage[],
): Promise<readonly Ended[]> {
  const outcomes = await queues.send(
    queue,
    messages.map(message => toOutgoing(queue, message, newId)),
  );
  const ended = messages.map((message, index): Ended => {
    const outcome = outcomes[index];
    return outcome?.ok === true ? { message } : { message, problem: outcome?.error.message ?? 'no answer' };
  });
  const moved = ended.filter(({ problem }) => problem === undefined).map(({ message }) => message.receiptHandle);
  await queues.delete(deadLetterQueueOf(queue), moved);
  return ended;
}

function toOutgoing(queue: QueueName, { body, attributes }: ReceivedMessage, newId: NewId): OutgoingMessage {
  if (!isFifo(queue)) {
    return { body };
  }
  const request = readRequest(body);
  return request === undefined
    ? { body, groupId: attributes.groupId ?? newId(), deduplicationId: newId() }
    : { body, groupId: toGroupId(request), deduplicationId: toRecheckId(request, newId) };
}

function toLetter({ dryRun, now }: RedriveInput, message: ReceivedMessage, problem?: string): DeadLetter {
  const { messageId, attributes } = message;
  const request = readRequest(message.body);
  return {
    messageId,
    ...(request === undefined
      ? {}
      : { key: toKeyText(request.key), cause: request.cause, trace: request.trace, attempt: request.attempt }),
    receiveCount: attributes.receiveCount,
    ageSeconds: Math.max(0, Math.round((now() - attributes.sentAtMs) / 1000)),
    outcome: problem === undefined ? (dryRun ? 'shown' : 'moved') : 'refused',
    ...withoutUndefined({ problem }),
  };
}

function readRequest(body: string): Request | undefined {
  try {
    return parseRequest(body);
  } catch {
    return undefined;
  }
}
