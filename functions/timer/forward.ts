// Forwards delayed requests. A message is acknowledged only after a queue has accepted its follow-up.
import type { Clock } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import { failedFollowUps, type Metrics, refusedMessages } from '../../shared/kernel/metrics.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import type { QueueName, QueueSender } from '../../shared/workqueue/port.ts';
import { type DelayedMessage, decideForwardings, type Forwarding } from './timer.ts';

export interface ForwardOptions {
  readonly functionName: string;
  readonly queues: QueueSender;
  hasQueue(queue: QueueName): boolean;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly metrics: Metrics;
  readonly log: Log;
}

type Sending = Extract<Forwarding, { kind: 'send' }>;

/**
 * Returns the ids of messages that must not be acknowledged. These are messages without an accepted follow-up, and
 * invalid messages. The redrive policy moves invalid messages to the dead-letter queue. A message with a name that no
 * API server accepts is logged and acknowledged.
 */
export async function forward(
  options: ForwardOptions,
  messages: readonly DelayedMessage[],
): Promise<readonly string[]> {
  const forwardings = decideForwardings(messages, {
    now: options.clock.now(),
    newId: options.newId,
    hasQueue: queue => options.hasQueue(queue),
  });
  const sendings = forwardings.filter(forwarding => forwarding.kind === 'send');
  const poison = forwardings.filter(forwarding => forwarding.kind === 'poison');
  for (const { messageId, reason, problem } of poison) {
    options.metrics.count(refusedMessages, { controller: options.functionName, reason });
    options.log.error('Refusing a message', new Error(problem), { messageId, reason });
  }
  for (const { messageId, trace, problem } of sendings.filter(sending => sending.problem !== undefined)) {
    options.log.error('Enqueueing an object before its due time', new Error(problem), { messageId, trace });
  }
  const byQueue = Map.groupBy(sendings, ({ queue }) => queue);
  const unsent = await Promise.all([...byQueue].map(([queue, group]) => send(options, queue, group)));
  const kept = poison.filter(({ reason }) => reason !== 'invalid_name');
  return [...kept.map(({ messageId }) => messageId), ...unsent.flat()];
}

async function send(
  { functionName, queues, metrics, log }: ForwardOptions,
  queue: QueueName,
  sendings: readonly Sending[],
): Promise<readonly string[]> {
  const outcomes = await queues.send(
    queue,
    sendings.map(({ message }) => message),
  );
  return sendings.flatMap(({ messageId, trace }, index) => {
    const outcome = outcomes[index];
    if (outcome?.ok === true) {
      log.debug('Forwarded a delayed request', { trace, queue });
      return [];
    }
    metrics.count(failedFollowUps, { controller: functionName });
    log.error('Forwarding a delayed request failed', outcome?.error, { messageId, trace, queue });
    return [messageId];
  });
}
