// Converts requests and expansions to queue messages. Pure, except for the given `newId`.
import type { Instant } from '@capi-serverless/apimachinery';
import type { Expansion } from './expand.ts';
import { type NewId, toDeduplicationId, toGroupId } from './ids.ts';
import { type Request, toBody } from './message.ts';
import type { OutgoingMessage } from './port.ts';
import { toDelaySeconds } from './timer-grid.ts';

/** For the request's own work queue (`workQueueOf(request.reconciler)`). */
export function toWorkMessage(request: Request, newId: NewId): OutgoingMessage {
  return {
    body: toBody(request),
    groupId: toGroupId(request.key),
    deduplicationId: toDeduplicationId(request, newId),
  };
}

/** For the delay queue. `delaySeconds`: whole, 0 to 900. */
export function toDelayedMessage(request: Request, delaySeconds: number): OutgoingMessage {
  return { body: toBody(request), delaySeconds };
}

/** For the delay queue: delayed until the request is due, or by the longest delay of a queue. */
export function toTimerMessage(request: Request & { readonly due: Instant }, now: Instant): OutgoingMessage {
  return toDelayedMessage(request, toDelaySeconds(request.due, now));
}

/** For the expand queue. */
export function toExpandMessage(expansion: Expansion): OutgoingMessage {
  return { body: JSON.stringify(expansion) };
}
