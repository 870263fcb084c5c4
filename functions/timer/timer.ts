// Decides the destination of delayed requests. Early requests return to the delay queue. Due requests go to their work
// queue. Pure.

import type { Instant } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { parseRequest, type Request } from '../../shared/workqueue/message.ts';
import { isObjectName } from '../../shared/workqueue/object-names.ts';
import { toTimerMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName } from '../../shared/workqueue/port.ts';
import { delayQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { furthestDueMs } from '../../shared/workqueue/timer-grid.ts';

export interface DelayedMessage {
  readonly messageId: string;
  readonly body: string;
}

/** `poison` means that a retry cannot succeed. A message with an `invalid_name` is dropped, because no such object exists. */
export type Forwarding =
  | {
      readonly kind: 'send';
      readonly messageId: string;
      readonly queue: QueueName;
      readonly message: OutgoingMessage;
      readonly trace: string;
      /** The problem of a request that is still forwarded. */
      readonly problem?: string;
    }
  | {
      readonly kind: 'poison';
      readonly messageId: string;
      readonly reason: 'unreadable' | 'unknown_reconciler' | 'invalid_name';
      readonly problem: string;
    };

interface Routing {
  readonly now: Instant;
  readonly newId: NewId;
  /** Returns true if this deployment has the queue. */
  hasQueue(queue: QueueName): boolean;
}

/**
 * Returns one forwarding per message, in the given order. A request without `due` is due. A `due` that no function can
 * have set is forged or comes from a wrong clock. Such a request is also due, because an early reconcile is harmless.
 */
export function decideForwardings(messages: readonly DelayedMessage[], routing: Routing): readonly Forwarding[] {
  return messages.map(({ messageId, body }) => {
    const request = readRequest(body);
    return request instanceof Error
      ? { kind: 'poison', messageId, reason: 'unreadable', problem: request.message }
      : decideForwarding({ messageId, body }, request, routing);
  });
}

/** The body is forwarded unchanged, because it may contain fields that only the receiving function can parse. */
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
  if (!isObjectName(request.key)) {
    const problem = `Request of reconciler "${reconciler}" has a name that no API server accepts`;
    return { kind: 'poison', messageId, reason: 'invalid_name', problem };
  }
  const isTooFar = due !== undefined && due > now + furthestDueMs;
  if (due !== undefined && due > now && !isTooFar) {
    return {
      kind: 'send',
      messageId,
      queue: delayQueue,
      message: { ...toTimerMessage({ ...request, due }, now), body },
      trace,
    };
  }
  const message = { ...toWorkMessage(request, newId), body };
  const sending = { kind: 'send', messageId, queue: workQueue, message, trace } as const;
  return isTooFar ? { ...sending, problem: tooFar } : sending;
}

const tooFar = `Request is due more than ${Math.floor(furthestDueMs / 3_600_000)} hours from now, for which no function sets a timer; check which identities may send to queue "${delayQueue}"`;

function readRequest(body: string): Request | Error {
  try {
    return parseRequest(body);
  } catch (error) {
    return toError(error);
  }
}
