// The queues of the model: the project's own in-memory queues, behind a network that delays, repeats and loses answers.
import { validateMessage } from '../../../shared/workqueue/limits.ts';
import { MemoryQueue } from '../../../shared/workqueue/memory/queue.ts';
import type { OutgoingMessage, QueueName } from '../../../shared/workqueue/port.ts';
import { isFifo, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../../shared/workqueue/queue-specs.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler, StepOwner } from '../engine/scheduler.ts';
import { reconcilerName } from './objects.ts';
import type { Variant } from './variants.ts';

export const functionTimeoutSeconds = 10;

const repeatRate = 0.05;
const lateRate = 0.03;
const refusedRate = 0.02;
const unknownRate = 0.01;
const latestMs = 20_000;

export interface Channel {
  readonly queue: MemoryQueue;
  readonly deadLetters: MemoryQueue | undefined;
  /** Called when something was put on the queue. */
  poke: () => void;
}

/** Every queue of the product that the model needs, set as the product sets it but for what the variant breaks. */
export function createChannels(variant: Variant): ReadonlyMap<QueueName, Channel> {
  const consumers = toConsumers([{ name: reconcilerName, timeoutSeconds: functionTimeoutSeconds }]);
  const channels = new Map<QueueName, Channel>();
  for (const spec of toQueueSpecs(consumers, variant.design)) {
    const isWork = spec.name === workQueueOf(reconcilerName);
    const delay = isWork && variant.queueDelaySeconds !== undefined ? { delaySeconds: variant.queueDelaySeconds } : {};
    const visibility =
      isWork && variant.visibilitySeconds !== undefined ? { visibilityTimeoutSeconds: variant.visibilitySeconds } : {};
    channels.set(spec.name, {
      queue: new MemoryQueue(spec.name, { ...spec, ...delay, ...visibility }),
      deadLetters: spec.redrive === undefined ? undefined : channels.get(spec.redrive.deadLetterQueue)?.queue,
      poke: () => undefined,
    });
  }
  return channels;
}

/** How a sender reaches the queues. What was sent arrives even if the sender dies meanwhile. */
export class Network {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #channels: ReadonlyMap<QueueName, Channel>;
  #brokenUntil = Number.NEGATIVE_INFINITY;

  constructor(scheduler: Scheduler, random: Random, channels: ReadonlyMap<QueueName, Channel>) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#channels = channels;
  }

  /** Plans a time in which no queue takes anything. */
  planOutage(at: number, ms: number): void {
    this.#scheduler.after(at, () => {
      this.#brokenUntil = this.#scheduler.now + ms;
    });
  }

  /** Tells `sender` whether the queue took the message, if it is still alive then. */
  send(
    name: QueueName,
    message: OutgoingMessage,
    sender: { readonly owner?: StepOwner; told: (ok: boolean) => void },
  ): void {
    const random = this.#random;
    const problem = validateMessage(name, message);
    if (problem !== undefined) {
      throw problem;
    }
    const first = random.between(3, 60);
    const answer = (ms: number, ok: boolean): void => {
      this.#scheduler.after(ms, () => sender.told(ok), sender.owner);
    };
    if (this.#scheduler.now < this.#brokenUntil || random.chance(refusedRate)) {
      answer(first, false);
      return;
    }
    if (random.chance(unknownRate)) {
      this.#arrive(name, message, first);
      answer(first + random.between(0, 1_000), false);
      return;
    }
    const arrives = random.chance(lateRate) ? random.between(100, latestMs) : first;
    this.#arrive(name, message, arrives);
    if (random.chance(repeatRate)) {
      this.#arrive(name, message, arrives + random.between(0, latestMs));
    }
    answer(arrives + 2, true);
  }

  #arrive(name: QueueName, message: OutgoingMessage, ms: number): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) {
      throw new Error(`The model has no queue ${name}`);
    }
    this.#scheduler.after(ms, () => {
      channel.queue.send(message, this.#scheduler.now);
      if (!isFifo(name) && this.#random.chance(repeatRate)) {
        channel.queue.send(message, this.#scheduler.now);
      }
      channel.poke();
    });
  }
}
