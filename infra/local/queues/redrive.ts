// Moves dead letters back to the queue that they came from. Nothing is deleted before the queue has accepted it.
import type { Instant } from '../../../shared/api/object.ts';
import { type NewId, toGroupId, toLookAgainId } from '../../../shared/workqueue/ids.ts';
import { parseRequest, type Request, toKeyText } from '../../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueName, Queues, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import { deadLetterQueueOf, isFifo } from '../../../shared/workqueue/queue-names.ts';

/** What people need to know about one dead letter. Never its body. */
export interface DeadLetter {
  readonly messageId: string;
  /** Absent when it names no object: an unreadable message, or one of the expand queue. */
  readonly key?: string;
  readonly cause?: string;
  readonly trace?: string;
  readonly attempt?: number;
  readonly receiveCount: number;
  readonly ageSeconds: number;
  /** `shown`: nothing was done with it. */
  readonly outcome: 'shown' | 'moved' | 'refused';
  /** Why the queue refused it. */
  readonly problem?: string;
}

export interface RedriveOptions {
  readonly queue: QueueName;
  readonly dryRun: boolean;
  readonly queues: Queues;
  readonly now: () => Instant;
  readonly newId: NewId;
  /** Called for each one as soon as its outcome is known; `of`: how many there were in the beginning. */
  readonly tell: (letter: DeadLetter, number: number, of: number) => void;
  readonly signal: AbortSignal;
}

export interface Redriven {
  readonly queue: QueueName;
  readonly letters: readonly DeadLetter[];
  /** How many were there in the beginning, as far as the queue could tell. */
  readonly found: number;
}

const batchSize = 10;
/** A queue that is spread over many machines may answer a short poll with nothing although it holds something. */
const waitSeconds = 1;

/**
 * Shows each dead letter once and, unless it is a dry run, moves it back under a fresh id: under its old one the queue
 * might swallow it. Those that become dead letters again meanwhile are left for the next call. Throws QueueError when
 * the dead-letter queue cannot be read; what was moved until then stays moved.
 */
export async function redrive(options: RedriveOptions): Promise<Redriven> {
  const { queue, queues, dryRun, tell, signal } = options;
  const deadLetterQueue = deadLetterQueueOf(queue);
  const { visible, inFlight, delayed } = await queues.depth(deadLetterQueue);
  const found = visible + inFlight + delayed;
  const letters: DeadLetter[] = [];
  const kept: string[] = [];
  const seen = new Set<string>();
  try {
    while (!signal.aborted && letters.length < found) {
      const received = await queues.receive(deadLetterQueue, { max: batchSize, waitSeconds, signal });
      const fresh = received.filter(({ messageId }) => !seen.has(messageId));
      if (fresh.length === 0) {
        break;
      }
      const ended: readonly Ended[] = dryRun ? fresh.map(message => ({ message })) : await moveBack(options, fresh);
      for (const { message, problem } of ended) {
        seen.add(message.messageId);
        const letter = toLetter(options, message, problem);
        letters.push(letter);
        tell(letter, letters.length, found);
        if (letter.outcome !== 'moved') {
          kept.push(message.receiptHandle);
        }
      }
    }
  } finally {
    // What was only looked at is there for the next look at once.
    await queues.changeVisibility(deadLetterQueue, kept, 0);
  }
  return { queue, letters, found };
}

interface Ended {
  readonly message: ReceivedMessage;
  readonly problem?: string;
}

async function moveBack(
  { queue, queues, newId }: RedriveOptions,
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
    : { body, groupId: toGroupId(request.key), deduplicationId: toLookAgainId(request.key, newId) };
}

function toLetter({ dryRun, now }: RedriveOptions, message: ReceivedMessage, problem?: string): DeadLetter {
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
    ...(problem === undefined ? {} : { problem }),
  };
}

function readRequest(body: string): Request | undefined {
  try {
    return parseRequest(body);
  } catch {
    return undefined;
  }
}
