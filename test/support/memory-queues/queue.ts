// An in-memory queue with the documented behaviour of SQS. The caller passes the time, so there are no waits, timers or
// randomness.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
import type { Instant } from '@capi-serverless/apimachinery';
import type { OutgoingMessage, QueueDepth, QueueName, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import { isFifo } from '../../../shared/workqueue/queue-names.ts';

export interface MemoryQueueConfig {
  readonly visibilityTimeoutSeconds: number;
  readonly redrive?: { readonly deadLetterQueue: QueueName; readonly maxReceiveCount: number };
}

/** A message in the queue, visible or not. */
export interface StoredMessage {
  readonly messageId: string;
  readonly body: string;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly sentAtMs: Instant;
  readonly receiveCount: number;
  readonly state: 'visible' | 'inFlight' | 'delayed';
}

interface Entry {
  readonly messageId: string;
  readonly message: OutgoingMessage;
  readonly sentAt: Instant;
  firstReceivedAt: Instant | undefined;
  visibleAt: Instant;
  receiveCount: number;
  /** The receipt handle of the latest receive. */
  receipt: string | undefined;
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
const deduplicationWindowMs = 300_000;
const secondMs = 1000;

export class MemoryQueue {
  readonly #name: QueueName;
  readonly #config: MemoryQueueConfig;
  readonly #fifo: boolean;
  /** The messages in the order of sending. */
  readonly #entries: Entry[] = [];
  /** The time when each deduplication id was accepted, in this order. */
  readonly #accepted = new Map<string, Instant>();
  #sent = 0;

  constructor(name: QueueName, config: MemoryQueueConfig) {
    this.#name = name;
    this.#config = config;
    this.#fifo = isFifo(name);
  }

  /** Accepts a valid message. Drops it if its deduplication id was accepted in the last 300 s. */
  send(message: OutgoingMessage, now: Instant): void {
    if (this.#isDuplicate(message.deduplicationId, now)) {
      return;
    }
    const { delaySeconds = 0 } = message;
    this.#add(message, { sentAt: now, visibleAt: now + delaySeconds * secondMs });
  }

  /** Accepts a dead letter of another queue. */
  adopt(message: OutgoingMessage, now: Instant): void {
    this.#add(message, { sentAt: now, visibleAt: now });
  }

  /**
   * Hides up to `max` messages and returns them in order. A message that reached `maxReceiveCount` moves to
   * `deadLetters` instead. Skips the messages of a group while an earlier message of the group is in flight.
   */
  take(max: number, now: Instant, deadLetters?: MemoryQueue): readonly ReceivedMessage[] {
    const taken: ReceivedMessage[] = [];
    for (const entry of this.#receivable(now)) {
      if (taken.length === max) {
        break;
      }
      if (deadLetters !== undefined && entry.receiveCount >= (this.#config.redrive?.maxReceiveCount ?? Infinity)) {
        this.#remove(entry);
        deadLetters.adopt(entry.message, now);
      } else {
        taken.push(this.#receive(entry, now));
      }
    }
    return taken;
  }

  /**
   * Acknowledges messages. Ignores unknown handles and, for FIFO queues, handles whose visibility timeout has passed.
   */
  delete(receiptHandle: string, now: Instant): void {
    const entry = this.#held(receiptHandle, now);
    if (entry !== undefined) {
      this.#remove(entry);
    }
  }

  purge(): void {
    this.#entries.length = 0;
  }

  changeVisibility(receiptHandle: string, seconds: number, now: Instant): void {
    const entry = this.#held(receiptHandle, now);
    if (entry !== undefined && entry.visibleAt > now) {
      entry.visibleAt = now + seconds * secondMs;
    }
  }

  /**
   * Returns the earliest time, from `now` on, at which a receive may return a message. `undefined` means not before the
   * next send.
   */
  nextVisibleAt(now: Instant): Instant | undefined {
    const isReceivable = this.#fifo
      ? this.#receivable(now).length > 0
      : this.#entries.some(({ visibleAt }) => visibleAt <= now);
    if (isReceivable) {
      return now;
    }
    // Called with each message, while thousands of them may be delayed.
    let next = Number.POSITIVE_INFINITY;
    for (const { visibleAt } of this.#entries) {
      next = visibleAt > now ? Math.min(next, visibleAt) : next;
    }
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  depth(now: Instant): QueueDepth {
    const depth = { visible: 0, inFlight: 0, delayed: 0 };
    for (const entry of this.#entries) {
      depth[stateOf(entry, now)] += 1;
    }
    return depth;
  }

  /** Returns the messages in the queue, in the order of sending. */
  messages(now: Instant): readonly StoredMessage[] {
    return this.#entries.map(entry => {
      const { delaySeconds: _, ...message } = entry.message;
      const { messageId, sentAt: sentAtMs, receiveCount } = entry;
      return { ...message, messageId, sentAtMs, receiveCount, state: stateOf(entry, now) };
    });
  }

  #isDuplicate(id: string | undefined, now: Instant): boolean {
    for (const [old, at] of this.#accepted) {
      if (now - at < deduplicationWindowMs) {
        break;
      }
      this.#accepted.delete(old);
    }
    if (id === undefined) {
      return false;
    }
    // Ids are compared across groups. SQS can also compare within a group, which is less strict.
    const duplicate = this.#accepted.has(id);
    if (!duplicate) {
      this.#accepted.set(id, now);
    }
    return duplicate;
  }

  #add(message: OutgoingMessage, at: { readonly sentAt: Instant; readonly visibleAt: Instant }): void {
    this.#sent += 1;
    const messageId = `${this.#name}#${this.#sent}`;
    this.#entries.push({ messageId, message, ...at, firstReceivedAt: undefined, receiveCount: 0, receipt: undefined });
  }

  #remove(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
  }

  #receivable(now: Instant): readonly Entry[] {
    const blocked = new Set(
      this.#entries.filter(entry => isInFlight(entry, now)).map(({ message }) => message.groupId),
    );
    return this.#entries.filter(entry => {
      if (entry.visibleAt > now) {
        // A delayed message blocks the later ones of its group.
        blocked.add(entry.message.groupId);
        return false;
      }
      return !this.#fifo || !blocked.has(entry.message.groupId);
    });
  }

  #receive(entry: Entry, now: Instant): ReceivedMessage {
    const { message, messageId } = entry;
    entry.receiveCount += 1;
    entry.firstReceivedAt ??= now;
    entry.visibleAt = now + this.#config.visibilityTimeoutSeconds * secondMs;
    entry.receipt = `${messageId}/${entry.receiveCount}`;
    return {
      messageId,
      receiptHandle: entry.receipt,
      body: message.body,
      attributes: {
        receiveCount: entry.receiveCount,
        sentAtMs: entry.sentAt,
        firstReceivedAtMs: entry.firstReceivedAt,
        ...(message.groupId === undefined ? {} : { groupId: message.groupId }),
        ...(message.deduplicationId === undefined ? {} : { deduplicationId: message.deduplicationId }),
      },
    };
  }

  #held(receiptHandle: string, now: Instant): Entry | undefined {
    const entry = this.#entries.find(({ receipt }) => receipt === receiptHandle);
    return this.#fifo && entry !== undefined && entry.visibleAt <= now ? undefined : entry;
  }
}

function isInFlight(entry: Entry, now: Instant): boolean {
  return entry.receipt !== undefined && entry.visibleAt > now;
}

function stateOf(entry: Entry, now: Instant): StoredMessage['state'] {
  if (entry.visibleAt <= now) {
    return 'visible';
  }
  return entry.receipt === undefined ? 'delayed' : 'inFlight';
}
