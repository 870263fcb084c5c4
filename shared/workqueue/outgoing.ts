// Converts requests and expansions to queue messages. Pure, except for the given `newId`.
import type { Instant } from '@capi-serverless/apimachinery';
import { type Expansion, toRetriedBody } from './expand.ts';
import { type NewId, toDeduplicationId, toGroupId } from './ids.ts';
import { type Request, toBody } from './message.ts';
import type { OutgoingMessage } from './port.ts';
import { toDelaySeconds } from './timer-grid.ts';

/** Creates a message for the request's work queue (`workQueueOf(request.reconciler)`). */
export function toWorkMessage(request: Request, newId: NewId): OutgoingMessage {
  return {
    body: toBody(request),
    groupId: toGroupId(request),
    deduplicationId: toDeduplicationId(request, newId),
  };
}

/** Creates a message for the delay queue. `delaySeconds` is a whole number from 0 to 900. */
export function toDelayedMessage(request: Request, delaySeconds: number): OutgoingMessage {
  return { body: toBody(request), delaySeconds };
}

/**
 * Creates a message for the delay queue. It is delayed until the request is due, or by the maximum delay of a queue.
 */
export function toTimerMessage(request: Request & { readonly due: Instant }, now: Instant): OutgoingMessage {
  return toDelayedMessage(request, toDelaySeconds(request.due, now));
}

/** Creates a message for the expand queue. */
export function toExpandMessage(expansion: Expansion): OutgoingMessage {
  return { body: JSON.stringify(expansion) };
}

/**
 * Creates a delayed message for the expand queue after a failed try with this number. `delaySeconds` is a whole number
 * from 0 to 900.
 */
export function toRetriedExpandMessage(
  body: string,
  { attempt, delaySeconds }: { readonly attempt: number; readonly delaySeconds: number },
): OutgoingMessage {
  return { body: toRetriedBody(body, attempt), delaySeconds };
}
