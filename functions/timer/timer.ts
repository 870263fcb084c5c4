// Decides what becomes of delayed requests: early ones wait on, due ones go to their work queue. Pure.

import type { Instant } from '../../shared/api/object.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { parseRequest, type Request } from '../../shared/workqueue/message.ts';
import { toTimerMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName } from '../../shared/workqueue/port.ts';
import { delayQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';

export interface DelayedMessage {
  readonly messageId: string;
  readonly body: string;
}

/** `poison`: no later try can do better. */
export type Forwarding =
  | {
      readonly kind: 'send';
      readonly messageId: string;
      readonly queue: QueueName;
      readonly message: OutgoingMessage;
      readonly trace: string;
    }
  | {
      readonly kind: 'poison';
      readonly messageId: string;
      readonly reason: 'unreadable' | 'unknown_reconciler';
      readonly problem: string;
    };

export interface Routing {
  readonly now: Instant;
  readonly newId: NewId;
  /** Whether this installation has such a queue. */
  hasQueue(queue: QueueName): boolean;
}

/** One forwarding per message, in the order given. A request without a due instant is due. */
export function decideForwardings(messages: readonly DelayedMessage[], routing: Routing): readonly Forwarding[] {
  return messages.map(({ messageId, body }) => {
    const request = readRequest(body);
    return request instanceof Error
      ? { kind: 'poison', messageId, reason: 'unreadable', problem: request.message }
      : decideForwarding({ messageId, body }, request, routing);
  });
}

/** The body goes on as it came: it may hold fields that only the function at its end knows. */
function decideForwarding(
  { messageId, body }: DelayedMessage,
  request: Request,
  { now, newId, hasQueue }: Routing,
): Forwarding {
  const { due, reconciler, trace } = request;
  const workQueue = workQueueOf(reconciler);
  if (!hasQueue(workQueue)) {
    const problem = `Queue "${workQueue}" of reconciler "${reconciler}" is not known here`;
    return { kind: 'poison', messageId, reason: 'unknown_reconciler', problem };
  }
  if (due !== undefined && due > now) {
    return {
      kind: 'send',
      messageId,
      queue: delayQueue,
      message: { ...toTimerMessage({ ...request, due }, now), body },
      trace,
    };
  }
  const message = { ...toWorkMessage(request, newId), body };
  return { kind: 'send', messageId, queue: workQueue, message, trace };
}

function readRequest(body: string): Request | Error {
  try {
    return parseRequest(body);
  } catch (error) {
    return toError(error);
  }
}
