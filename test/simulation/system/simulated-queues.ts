// The queues of a simulation: memory queues that report to the oracles, with the variations that SQS allows.
import type { Declaration } from '@capi-serverless/reconciler';
import type { OutgoingMessage, QueueName, Queues } from '../../../shared/workqueue/port.ts';
import { delayQueue, findActualQueue, isFifo } from '../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs, type WorkQueueLayout } from '../../../shared/workqueue/queue-specs.ts';
import { MemoryQueues } from '../../support/memory-queues/queues.ts';
import type { Engine } from '../engine/process.ts';
import type { Random } from '../engine/random.ts';

export interface SimulatedQueues {
  /** The queues whose calls take effect immediately. */
  readonly service: Queues;
  /** Returns the same queues for messages of this process. */
  serviceOf(sender: string): Queues;
  readonly memory: MemoryQueues;
  /** The queues that are empty once all work is done: all except the delay queue. */
  readonly busy: readonly QueueName[];
  /** Returns the queue that receives the messages for this queue, as the SQS adapter chooses it. */
  toActual(queue: QueueName): QueueName;
  /** Whether messages are written in the format of the previous version. */
  older: boolean;
  /** The number of unreadable messages that were sent. */
  nonsense: number;
  /** Notifies the consumers of the queue. */
  notify(queue: QueueName): void;
  /** Called after messages may have become visible. */
  onChange(listener: (queue: QueueName) => void): void;
  /** Called with every message that a queue accepted. */
  onSent(listener: (sent: Sent) => void): void;
  /** Called before a process deletes messages of its invocation. */
  onDeleted(listener: (deleted: DeletedMessages) => void): void;
}

export interface Sent {
  readonly queue: QueueName;
  readonly message: OutgoingMessage;
  /** The process that sent it. '' if there is none. */
  readonly sender: string;
}

interface DeletedMessages {
  readonly queue: QueueName;
  /** The message groups. */
  readonly groups: ReadonlySet<string | undefined>;
  readonly sender: string;
}

export function createSimulatedQueues(
  engine: Engine,
  declarations: readonly Declaration[],
  layout?: WorkQueueLayout,
): SimulatedQueues {
  const { scheduler } = engine;
  const random = engine.random.fork('queues');
  const clock = { now: () => Math.floor(scheduler.now), sleep: () => Promise.resolve() };
  const served = toConsumers(declarations, layout).map(({ queue }) => queue);
  const memory = new MemoryQueues({ queues: toQueueSpecs(toConsumers(declarations, layout)), clock });
  const toActual = choosing(served);
  const changed: ((queue: QueueName) => void)[] = [];
  const sent: ((sent: Sent) => void)[] = [];
  const deleted: ((deleted: DeletedMessages) => void)[] = [];
  const notify = (queue: QueueName): void => {
    for (const listener of changed) {
      listener(queue);
    }
  };
  const repeat = repeating(engine, random, (queue, again) => void memory.send(queue, again).then(() => notify(queue)));
  const services: Services = { memory, toActual, notify, repeat, sent, deleted, isOlder: () => self.older };
  const self: SimulatedQueues = {
    memory,
    toActual,
    busy: served.filter(queue => queue !== delayQueue),
    older: false,
    nonsense: 0,
    notify,
    service: serviceOf('', services),
    serviceOf: sender => serviceOf(sender, services),
    onChange: listener => void changed.push(listener),
    onSent: listener => void sent.push(listener),
    onDeleted: listener => void deleted.push(listener),
  };
  return self;
}

interface Services extends Pick<SimulatedQueues, 'memory' | 'toActual' | 'notify'> {
  readonly repeat: (queue: QueueName, messages: readonly OutgoingMessage[]) => void;
  readonly sent: readonly ((sent: Sent) => void)[];
  readonly deleted: readonly ((deleted: DeletedMessages) => void)[];
  readonly isOlder: () => boolean;
}

function serviceOf(sender: string, of: Services): Queues {
  const { memory, toActual, notify, repeat } = of;
  return {
    async send(target, sending) {
      const queue = toActual(target);
      const messages = of.isOlder() ? sending.map(toOlderMessage) : sending;
      const outcomes = await memory.send(queue, messages);
      for (const [index, message] of messages.entries()) {
        if (outcomes[index]?.ok === true) {
          for (const listener of of.sent) {
            listener({ queue, message, sender });
          }
        }
      }
      repeat(queue, messages);
      notify(queue);
      return outcomes;
    },
    receive: (queue, options) => memory.receive(queue, options),
    async delete(target, handles) {
      const queue = toActual(target);
      const groups = groupsOf(memory, queue, handles);
      for (const listener of sender === '' ? [] : of.deleted) {
        listener({ queue, groups, sender });
      }
      await memory.delete(queue, handles);
      notify(queue);
    },
    async changeVisibility(queue, handles, seconds) {
      await memory.changeVisibility(queue, handles, seconds);
      notify(queue);
    },
    depth: queue => memory.depth(queue),
  };
}

/** The memory queues make a receipt handle of the message id and the number of deliveries. */
function groupsOf(memory: MemoryQueues, queue: QueueName, handles: readonly string[]): DeletedMessages['groups'] {
  const ids = new Set(handles.map(handle => handle.slice(0, handle.lastIndexOf('/'))));
  const messages = memory.messages(queue).filter(({ messageId }) => ids.has(messageId));
  return new Set(messages.map(({ groupId }) => groupId));
}

/** The at-least-once delivery of a standard queue. */
function repeating(
  engine: Engine,
  random: Random,
  send: (queue: QueueName, messages: readonly OutgoingMessage[]) => void,
) {
  const { scheduler, trace } = engine;
  return (queue: QueueName, messages: readonly OutgoingMessage[]): void => {
    const again = messages.filter(() => !isFifo(queue) && random.chance(engine.faults.rates.duplicate));
    if (again.length > 0) {
      trace.fault(scheduler.now, `${again.length} messages of ${queue} are delivered twice`);
      scheduler.after(random.between(1, 10_000), () => send(queue, again));
    }
  };
}

/** The choice of the SQS adapter among these queues. */
function choosing(served: readonly QueueName[]): (queue: QueueName) => QueueName {
  const known = Object.fromEntries(served.map(queue => [queue, queue]));
  return queue => findActualQueue(queue, known) ?? queue;
}

/** A field that only messages of the previous version have. */
export const olderField = 'formerly';

/** Returns a message of the previous version. It has fewer fields and one field that is no longer read. */
function toOlderMessage(message: OutgoingMessage): OutgoingMessage {
  // True: every message of the product is a JSON object.
  const { sources: _, ...known } = JSON.parse(message.body) as Readonly<Record<string, unknown>>;
  return { ...message, body: JSON.stringify({ ...known, [olderField]: 'known' }) };
}
