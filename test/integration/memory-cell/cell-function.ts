// A function whose process runs in a cell of memory, and its queue. The process is started again when it has died, and
// the messages that it had come again, as SQS and Lambda do. The times of deliveries are stepped, so that no lease is
// waited for.
import { toRecord } from '../../../local/event-source-mapping.ts';
import { parseRequest } from '../../../shared/workqueue/message.ts';
import type { Queues, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import { leaseSeconds } from '../../../shared/workqueue/queue-specs.ts';
import { type LambdaProcess, startLambda } from '../../support/lambda-process.ts';
import { type MemoryCell, openMemoryCell, processorMsOf, residentPeakOf } from '../../support/memory-cell.ts';
import type { PackagedFunction } from '../../support/packaged.ts';

interface CellOptions {
  /** The path of Lambda's runtime interface client. */
  readonly program: string;
  readonly packaged: PackagedFunction;
  readonly memoryMiB: number;
  readonly queues: Queues;
  readonly queue: string;
  readonly batchSize: number;
}

export interface CellOutcome {
  /** The number of processes that died. */
  readonly deaths: number;
  /** The processor time of the invocations with messages of harmless objects, in milliseconds. */
  readonly harmlessMs: number;
  /** The peak of the cell, or of the resident memory of the latest process without a cell, in MiB. */
  readonly peakMiB: number;
  /** The output of all processes. */
  readonly output: string;
}

/** The number of invocations after which the work should be done. */
const mostInvocations = 100;
/** The time after which messages come again that a function gave back. */
const givenBackMs = 10_000;
/** The time after which the messages of a dead process come again. */
const deadMs = (leaseSeconds + 1) * 1_000;

/** The flags with which Lambda starts Node: shares of the memory of the function. */
function heapFlags(memoryMiB: number): string {
  return `--max-old-space-size=${Math.floor(memoryMiB * 0.9)} --max-semi-space-size=${Math.floor(memoryMiB * 0.05)}`;
}

export class CellFunction {
  readonly #options: CellOptions;
  /** Undefined where cgroups are missing. */
  readonly #cell: MemoryCell | undefined;
  /** By message: the time by which its first delivery is moved back. */
  readonly #agesMs = new Map<string, number>();
  #process: LambdaProcess | undefined;
  #output = '';
  #deaths = 0;
  #harmlessMs = 0;

  constructor(options: CellOptions) {
    const cell = openMemoryCell(options.memoryMiB);
    this.#options = options;
    this.#cell = 'missing' in cell ? undefined : cell;
  }

  /** Serves the messages of the queue until it has none. `isHarmless` selects names of objects. */
  async serveAll(isHarmless: (name: string) => boolean): Promise<CellOutcome> {
    const { queues, queue, batchSize } = this.#options;
    for (let count = 0; count < mostInvocations; count += 1) {
      const messages = await queues.receive(queue, { max: batchSize, waitSeconds: 0 });
      if (messages.length === 0) {
        return this.#outcome();
      }
      await this.#serve(messages, isHarmless);
    }
    await this.#endProcess();
    throw new Error(
      `After ${mostInvocations} invocations, queue ${queue} still has messages: ${this.#output.slice(-4_000)}`,
    );
  }

  async stop(): Promise<void> {
    await this.#endProcess();
    this.#cell?.remove();
  }

  async #serve(messages: readonly ReceivedMessage[], isHarmless: (name: string) => boolean): Promise<void> {
    const { queues, queue } = this.#options;
    const running = await this.#running();
    const meter = new ProcessorMeter(running.pid ?? 0);
    const answer = await running
      .invoke({ Records: messages.map(message => this.#toRecord(message)) })
      .catch(() => undefined);
    const ms = meter.stop();
    if (messages.some(({ body }) => isHarmless(parseRequest(body).key.name))) {
      this.#harmlessMs += ms;
    }
    if (answer === undefined) {
      this.#deaths += 1;
      await this.#endProcess();
    }
    const failed =
      answer === undefined || !answer.ok
        ? messages
        : messages.filter(({ messageId }) => isFailed(answer.response, messageId));
    for (const { messageId } of failed) {
      const age = this.#agesMs.get(messageId) ?? 0;
      this.#agesMs.set(messageId, age + (answer === undefined ? deadMs : givenBackMs));
    }
    await queues.changeVisibility(
      queue,
      failed.map(({ receiptHandle }) => receiptHandle),
      0,
    );
    await queues.delete(
      queue,
      messages.filter(message => !failed.includes(message)).map(({ receiptHandle }) => receiptHandle),
    );
  }

  #toRecord(message: ReceivedMessage) {
    const { attributes, messageId } = message;
    const firstReceivedAtMs = (attributes.firstReceivedAtMs ?? Date.now()) - (this.#agesMs.get(messageId) ?? 0);
    return toRecord(this.#options.queue, { ...message, attributes: { ...attributes, firstReceivedAtMs } });
  }

  async #running(): Promise<LambdaProcess> {
    const { program, packaged, memoryMiB } = this.#options;
    if (this.#process === undefined) {
      const environment = { ...packaged.environment, NODE_OPTIONS: heapFlags(memoryMiB) };
      this.#process = await startLambda(program, { ...packaged, memoryMiB, environment }, this.#cell?.processes);
      await this.#process.ready();
    }
    return this.#process;
  }

  async #endProcess(): Promise<void> {
    await this.#process?.stop();
    this.#output += this.#process?.output() ?? '';
    this.#process = undefined;
  }

  async #outcome(): Promise<CellOutcome> {
    const peakMiB = this.#cell?.peakMebibytes() ?? residentPeakOf(this.#process?.pid ?? 0);
    await this.#endProcess();
    return { deaths: this.#deaths, harmlessMs: this.#harmlessMs, peakMiB, output: this.#output };
  }
}

/** Measures a process that may end while it is measured. Then the latest sample counts. */
class ProcessorMeter {
  readonly #pid: number;
  readonly #startMs: number;
  #latestMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#startMs = processorMsOf(pid) ?? 0;
    this.#latestMs = this.#startMs;
    this.#timer = setInterval(() => this.#sample(), 50);
  }

  stop(): number {
    clearInterval(this.#timer);
    this.#sample();
    return this.#latestMs - this.#startMs;
  }

  #sample(): void {
    this.#latestMs = processorMsOf(this.#pid) ?? this.#latestMs;
  }
}

function isFailed(response: unknown, messageId: string): boolean {
  const { batchItemFailures } = response as {
    readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
  }; // true: the answer of a function with a queue
  return batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId);
}
