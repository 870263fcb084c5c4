// Turns requests and expansions into messages that a queue accepts. Pure but for the id source that is handed in.
import type { Instant } from '../api/object.ts';
import type { Expansion } from './expand.ts';
import { type NewId, toBucketId, toDeduplicationId, toGroupId } from './ids.ts';
import { type Request, toBody } from './message.ts';
import type { OutgoingMessage } from './port.ts';
import type { QueueDesign } from './queue-design.ts';
import { toDelaySeconds } from './timer-grid.ts';

/** For the request's own work queue (`workQueueOf(request.reconciler)`). */
export function toWorkMessage(request: Request, newId: NewId): OutgoingMessage {
  return {
    body: toBody(request),
    groupId: toGroupId(request.key),
    deduplicationId: toDeduplicationId(request, newId),
  };
}

export interface Sending {
  readonly newId: NewId;
  readonly design: QueueDesign;
  /** The sender's clock. */
  readonly now: Instant;
}

/** For the request's own work queue, from an event source: what it stands for merges as the queue design says. */
export function toEventMessage(request: Request, { newId, design, now }: Sending): OutgoingMessage {
  const message = toWorkMessage(request, newId);
  return design === 'bucket' && request.cause === 'event'
    ? { ...message, deduplicationId: toBucketId(request.key, now) }
    : message;
}

/** For the delay queue. `delaySeconds`: whole, 0 to 900. */
export function toDelayedMessage(request: Request, delaySeconds: number): OutgoingMessage {
  return { body: toBody(request), delaySeconds };
}

/** For the delay queue: held back until the request is due, or as long as a queue can. */
export function toTimerMessage(request: Request & { readonly due: Instant }, now: Instant): OutgoingMessage {
  return toDelayedMessage(request, toDelaySeconds(request.due, now));
}

/** For the expand queue. */
export function toExpandMessage(expansion: Expansion): OutgoingMessage {
  return { body: JSON.stringify(expansion) };
}
