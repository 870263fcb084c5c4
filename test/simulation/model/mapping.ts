// Calls a function with what its queue holds, as the event source mapping of a function does; invocations may crash or hang.
import type { ReceivedMessage } from '../../../shared/workqueue/port.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler, StepOwner } from '../engine/scheduler.ts';
import type { Channel } from './queues.ts';

export const crashRate = 0.03;
/** As in shared/lambda/visibility.ts. */
const graceSeconds = 5;
const batchSize = 10;
const concurrency = 3;

export interface Invocation extends StepOwner {
  readonly messages: readonly ReceivedMessage[];
  /** Ends well: all messages are acknowledged but these. */
  end(failedIds: readonly string[]): void;
  /** Ends at once: nothing planned by it happens any more, no message is acknowledged. */
  kill(): void;
}

export interface MappingOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly channel: Channel;
  readonly timeoutSeconds: number;
  /** Whether an invocation first hides its batch for as long as it can last: a crash then blocks an object for seconds. */
  readonly protects: boolean;
  readonly serve: (invocation: Invocation) => void;
}

export class Mapping {
  readonly #options: MappingOptions;
  #busy = 0;
  #wakeUp: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(options: MappingOptions) {
    this.#options = options;
    options.channel.poke = () => this.#plan();
  }

  #plan(): void {
    const { scheduler, random, channel } = this.#options;
    const visible = channel.queue.nextVisibleAt(scheduler.now);
    if (this.#busy === concurrency || visible === undefined) {
      return;
    }
    const at = visible + random.between(1, 20);
    if (this.#wakeUp !== undefined && this.#wakeUp.at <= at) {
      return;
    }
    this.#wakeUp?.cancel();
    this.#wakeUp = { at, cancel: scheduler.after(at - scheduler.now, () => this.#poll()) };
  }

  #poll(): void {
    const { scheduler, channel, serve } = this.#options;
    this.#wakeUp = undefined;
    const messages = channel.queue.take(batchSize, scheduler.now, channel.deadLetters);
    if (messages.length > 0) {
      this.#busy += 1;
      this.#protect(messages);
      serve(this.#invoke(messages));
    }
    this.#plan();
  }

  #protect(messages: readonly ReceivedMessage[]): void {
    const { scheduler, channel, timeoutSeconds, protects } = this.#options;
    for (const { receiptHandle } of protects ? messages : []) {
      channel.queue.changeVisibility(receiptHandle, timeoutSeconds + graceSeconds, scheduler.now);
    }
  }

  #invoke(messages: readonly ReceivedMessage[]): Invocation {
    const { scheduler, channel } = this.#options;
    let alive = true;
    const over = (): void => {
      alive = false;
      this.#busy -= 1;
      this.#plan();
    };
    return {
      get alive() {
        return alive;
      },
      messages,
      end: failedIds => {
        for (const { messageId, receiptHandle } of messages) {
          if (!failedIds.includes(messageId)) {
            channel.queue.delete(receiptHandle, scheduler.now);
          }
        }
        over();
      },
      kill: over,
    };
  }
}
