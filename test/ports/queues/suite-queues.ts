// The queues of the suite, and helpers of its cases.
import { expect, type it } from 'vitest';
import type { OutgoingMessage, QueueName, Queues, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';

/** One new set of `suiteQueues`. */
export interface Harness {
  readonly queues: Queues;
  /** Advances virtual time. Does nothing if time is real. */
  letPass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Features that a queue implementation may not have. `virtualTime`: minutes pass immediately. `severalOfAGroup`: one
 * receive returns several messages of one group. `noticesHangUp`: an aborted receive takes no message.
 */
type Capability = 'virtualTime' | 'severalOfAGroup' | 'noticesHangUp';

/** The reason for each missing feature. Cases that need the feature are skipped. */
export type Lacks = Partial<Readonly<Record<Capability, string>>>;

const retentionSeconds = 86_400;
export const fifo: QueueName = 'suite.fifo';
export const fifoDeadLetters: QueueName = 'suite-dlq.fifo';
export const shortFifo: QueueName = 'suite-short.fifo';
export const standard: QueueName = 'suite';
export const poisonedStandard: QueueName = 'suite-poisoned';
export const standardDeadLetters: QueueName = 'suite-poisoned-dlq';

export const suiteQueues: readonly QueueSpec[] = [
  { name: fifoDeadLetters, fifo: true, visibilityTimeoutSeconds: 30, retentionSeconds },
  {
    name: fifo,
    fifo: true,
    visibilityTimeoutSeconds: 30,
    retentionSeconds,
    redrive: { deadLetterQueue: fifoDeadLetters, maxReceiveCount: 2 },
  },
  { name: shortFifo, fifo: true, visibilityTimeoutSeconds: 1, retentionSeconds },
  { name: standard, fifo: false, visibilityTimeoutSeconds: 30, retentionSeconds },
  { name: standardDeadLetters, fifo: false, visibilityTimeoutSeconds: 30, retentionSeconds },
  {
    name: poisonedStandard,
    fifo: false,
    visibilityTimeoutSeconds: 30,
    retentionSeconds,
    redrive: { deadLetterQueue: standardDeadLetters, maxReceiveCount: 1 },
  },
];

/** Helpers for one set of queues. */
export class QueueSteps {
  readonly queues: Queues;
  readonly letPass: Harness['letPass'];

  constructor({ queues, letPass }: Harness) {
    this.queues = queues;
    this.letPass = letPass;
  }

  async sent(queue: QueueName, ...messages: readonly OutgoingMessage[]): Promise<void> {
    const outcomes = await this.queues.send(queue, messages);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
  }

  received(queue: QueueName, max = 10): Promise<readonly ReceivedMessage[]> {
    return this.queues.receive(queue, { max, waitSeconds: 0 });
  }

  /** Receives messages that need up to a second to become visible. On a busy machine they may arrive later. */
  async receivedSoon(queue: QueueName): Promise<readonly ReceivedMessage[]> {
    const receiving = this.queues.receive(queue, { max: 10, waitSeconds: 20 });
    await this.letPass(2000);
    return receiving;
  }

  async bodies(queue: QueueName, max = 10): Promise<readonly string[]> {
    return (await this.received(queue, max)).map(({ body }) => body);
  }

  /** Receives all available messages and acknowledges them. */
  async drained(queue: QueueName): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let batch = await this.received(queue); batch.length > 0; batch = await this.received(queue)) {
      bodies.push(...batch.map(({ body }) => body));
      await this.queues.delete(queue, handlesOf(batch));
    }
    return bodies;
  }
}

export type Prepare = () => QueueSteps;
export type ItIf = (capability: Capability) => ReturnType<typeof it.runIf>;

let uniqueIds = 0;

export function uniqueId(): string {
  uniqueIds += 1;
  return `unique-${uniqueIds}`;
}

export function toGroup(groupId: string, body: string, deduplicationId = uniqueId()): OutgoingMessage {
  return { body, groupId, deduplicationId };
}

export function handlesOf(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.map(({ receiptHandle }) => receiptHandle);
}
