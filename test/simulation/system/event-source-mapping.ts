// The event source mapping of one queue. It polls, invokes the function and deletes acknowledged messages. Other
// messages become visible again. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
import { toRecord, toVerdict } from '../../../local/event-source-mapping.ts';
import type { QueueName, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import type { InvocationEnd, Lambda } from './lambda.ts';
import type { SimulatedQueues } from './simulated-queues.ts';

interface MappingOptions {
  readonly engine: Engine;
  readonly queue: QueueName;
  readonly batchSize: number;
  readonly queues: SimulatedQueues;
  readonly lambda: Lambda;
  readonly onInvocation: (event: InvocationEvent) => void;
}

/** The outcome of one batch. */
export type InvocationEvent =
  | {
      readonly type: 'begins';
      readonly process: SimulatedProcess;
      readonly queue: QueueName;
      readonly messages: readonly ReceivedMessage[];
      /** The fault: the batch was delivered twice. */
      readonly again: boolean;
    }
  | {
      readonly type: 'ends';
      readonly process: SimulatedProcess;
      readonly answered: boolean;
      readonly acknowledged: readonly ReceivedMessage[];
    };

export class SimulatedEventSourceMapping {
  readonly #options: MappingOptions;
  /** Batches that were received and not yet passed to a function. */
  #waiting = 0;
  #cancelPoll = (): void => {};

  constructor(options: MappingOptions) {
    this.#options = options;
    options.queues.onChange(queue => {
      if (queue === options.queue) {
        this.#planPoll();
      }
    });
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#options.lambda.running === 0;
  }

  #planPoll(): void {
    const { engine, queue, queues } = this.#options;
    const { scheduler, random } = engine;
    const at = queues.memory.nextVisibleAt(queue);
    this.#cancelPoll();
    if (at !== undefined) {
      this.#cancelPoll = scheduler.after(
        Math.max(0, at - scheduler.now) + random.between(1, 10),
        () => void this.#poll(),
      );
    }
  }

  async #poll(): Promise<void> {
    const { engine, queue, batchSize, queues, lambda } = this.#options;
    const { scheduler, random, faults, trace } = engine;
    if (lambda.isFull) {
      return;
    }
    const max = random.chance(0.5) ? batchSize : 1 + random.below(batchSize);
    const messages = await queues.memory.receive(queue, { max, waitSeconds: 0 });
    this.#planPoll();
    if (messages.length === 0) {
      return;
    }
    const isLate = random.chance(faults.rates.lateBatch);
    const wait = isLate ? random.between(100, 20_000) : random.between(1, 5);
    if (isLate) {
      trace.fault(scheduler.now, `batch of ${queue} waits ${wait.toFixed(0)} ms`);
    }
    this.#waiting += 1;
    scheduler.after(wait, () => {
      this.#waiting -= 1;
      this.#invoke(messages, false);
      if (random.chance(faults.rates.twice)) {
        trace.fault(scheduler.now, `batch of ${queue} is handed out twice`);
        scheduler.after(random.between(0, 500), () => this.#invoke(messages, true));
      }
    });
  }

  #invoke(messages: readonly ReceivedMessage[], again: boolean): void {
    const { engine, queue, lambda, onInvocation } = this.#options;
    const event = { Records: messages.map(message => toRecord(queue, message)) };
    const process = lambda.invoke(event, end => {
      const acknowledged = servedOf(messages, end);
      onInvocation({ type: 'ends', process: end.process, answered: end.answered, acknowledged });
      this.#settle(acknowledged);
    });
    onInvocation({ type: 'begins', process, queue, messages, again });
    engine.trace.note(
      engine.scheduler.now,
      () => `${process.name} invoked with ${messages.map(({ messageId }) => messageId).join(' ')}`,
    );
  }

  #settle(served: readonly ReceivedMessage[]): void {
    const { engine, queue, queues } = this.#options;
    const { scheduler, random, faults, trace } = engine;
    if (served.length > 0 && random.chance(faults.rates.undeleted)) {
      trace.fault(scheduler.now, `${served.length} served messages of ${queue} are not deleted`);
    } else if (served.length > 0) {
      const handles = served.map(({ receiptHandle }) => receiptHandle);
      scheduler.after(random.between(1, 5), () => void queues.service.delete(queue, handles));
    }
    this.#planPoll();
  }
}

function servedOf(messages: readonly ReceivedMessage[], end: InvocationEnd): readonly ReceivedMessage[] {
  const { failed } = toVerdict(
    end.answered ? { ok: true, response: end.response } : { ok: false, error: new Error(end.why), timedOut: false },
    messages,
  );
  return messages.filter(({ messageId }) => !failed.has(messageId));
}
