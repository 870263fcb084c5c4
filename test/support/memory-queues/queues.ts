// In-memory queues for unit tests and simulations. They wait only on the given clock, so they are as deterministic as
// this clock.
import type { Clock, Instant } from '@capi-serverless/apimachinery';
import type {
  OutgoingMessage,
  QueueDepth,
  QueueName,
  Queues,
  ReceivedMessage,
  SendOutcome,
} from '../../../shared/workqueue/port.ts';
import { validateMessage } from '../../../shared/workqueue/send-limits.ts';
import { MemoryQueue, type MemoryQueueConfig, type StoredMessage } from './queue.ts';

interface MemoryQueuesOptions {
  /** The structure of a `QueueSpec`. A queue is FIFO if its name ends in `.fifo`. */
  readonly queues: readonly ({ readonly name: QueueName } & MemoryQueueConfig)[];
  readonly clock: Clock;
}

interface Slot {
  readonly queue: MemoryQueue;
  readonly deadLetterQueue: QueueName | undefined;
  /** Aborts the waits of long polls of the queue. */
  readonly waiting: Set<AbortController>;
}

type ReceiveOptions = Parameters<Queues['receive']>[1];

export class MemoryQueues implements Queues {
  readonly #slots = new Map<QueueName, Slot>();
  readonly #clock: Clock;

  constructor({ queues, clock }: MemoryQueuesOptions) {
    this.#clock = clock;
    for (const config of queues) {
      const queue = new MemoryQueue(config.name, config);
      this.#slots.set(config.name, { queue, deadLetterQueue: config.redrive?.deadLetterQueue, waiting: new Set() });
    }
  }

  async send(name: QueueName, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]> {
    const slot = this.#slots.get(name);
    if (slot === undefined) {
      return messages.map(() => ({ ok: false, error: unknownQueue(name) }));
    }
    const outcomes = messages.map((message): SendOutcome => {
      const error = validateMessage(name, message);
      if (error !== undefined) {
        return { ok: false, error };
      }
      slot.queue.send(message, this.#clock.now());
      return { ok: true };
    });
    notifyWaiting(slot);
    return outcomes;
  }

  async receive(name: QueueName, { max, waitSeconds, signal }: ReceiveOptions): Promise<readonly ReceivedMessage[]> {
    if (max < 1) {
      throw new RangeError(`Receiving at most ${max} messages from queue "${name}" makes no sense`);
    }
    const slot = this.#slotOf(name);
    const deadline = this.#clock.now() + waitSeconds * 1000;
    while (signal?.aborted !== true) {
      const taken = this.#take(slot, max);
      const now = this.#clock.now();
      if (taken.length > 0 || now >= deadline) {
        return taken;
      }
      const until = Math.min(deadline, slot.queue.nextVisibleAt(now) ?? deadline);
      await this.#waitForChange(slot, until - now, signal);
    }
    return [];
  }

  async delete(name: QueueName, receiptHandles: readonly string[]): Promise<void> {
    const slot = this.#slotOf(name);
    for (const handle of receiptHandles) {
      slot.queue.delete(handle, this.#clock.now());
    }
    notifyWaiting(slot);
  }

  async changeVisibility(name: QueueName, receiptHandles: readonly string[], seconds: number): Promise<void> {
    const slot = this.#slotOf(name);
    for (const handle of receiptHandles) {
      slot.queue.changeVisibility(handle, seconds, this.#clock.now());
    }
    notifyWaiting(slot);
  }

  async depth(name: QueueName): Promise<QueueDepth> {
    return this.#slotOf(name).queue.depth(this.#clock.now());
  }

  /** Returns the earliest time at which a receive may return a message. `undefined` means not before the next send. */
  nextVisibleAt(name: QueueName): Instant | undefined {
    return this.#slotOf(name).queue.nextVisibleAt(this.#clock.now());
  }

  /** Deletes all messages, also those in flight. */
  purge(name: QueueName): void {
    this.#slotOf(name).queue.purge();
  }

  /** Returns the messages in the queue, in the order of sending. */
  messages(name: QueueName): readonly StoredMessage[] {
    return this.#slotOf(name).queue.messages(this.#clock.now());
  }

  #slotOf(name: QueueName): Slot {
    const slot = this.#slots.get(name);
    if (slot === undefined) {
      throw unknownQueue(name);
    }
    return slot;
  }

  #take({ queue, deadLetterQueue }: Slot, max: number): readonly ReceivedMessage[] {
    if (deadLetterQueue === undefined) {
      return queue.take(max, this.#clock.now());
    }
    const deadLetters = this.#slotOf(deadLetterQueue);
    const taken = queue.take(max, this.#clock.now(), deadLetters.queue);
    notifyWaiting(deadLetters);
    return taken;
  }

  async #waitForChange(slot: Slot, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const change = new AbortController();
    const end = (): void => change.abort();
    slot.waiting.add(change);
    signal?.addEventListener('abort', end);
    await this.#clock.sleep(ms, change.signal);
    signal?.removeEventListener('abort', end);
    slot.waiting.delete(change);
  }
}

function notifyWaiting({ waiting }: Slot): void {
  for (const change of waiting) {
    change.abort();
  }
}

function unknownQueue(name: QueueName): Error {
  return new Error(`Queue "${name}" does not exist`);
}
