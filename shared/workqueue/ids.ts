// Message ids. Equal ids within 300 s are delivered once, so an id must say exactly what may be merged.
// Every id contains the key: a queue may compare ids across message groups.
import { hash } from 'node:crypto';
import type { Instant } from '../api/object.ts';
import { type Key, manySources, type Request, toKeyText } from './message.ts';
import { bucketMs } from './queue-design.ts';

/** Yields a string that no other call ever yields, such as a random UUID. */
export type NewId = () => string;

/** base64url of SHA-256: 43 legal characters, where a plain key could need more than the 128 that an id may have. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

function digestOf(...parts: readonly unknown[]): string {
  return digest(JSON.stringify(parts));
}

/** One group per object: a queue has at most one request of an object in work at a time. */
export function toGroupId(key: Key): string {
  return digest(toKeyText(key));
}

/** Stands for the changes seen, each `uid@resourceVersion`; their order and repetitions do not matter. */
export function toEventId(key: Key, sources: readonly string[]): string {
  return digestOf('event', toKeyText(key), [...new Set(sources)].sort());
}

/** Stands for all that was seen in one second of a sender's clock: only for queues that hold messages back longer. */
export function toBucketId(key: Key, now: Instant): string {
  return digestOf('bucket', toKeyText(key), Math.floor(now / bucketMs));
}

export interface Timer {
  readonly reconciler: string;
  readonly key: Key;
  readonly due: number;
  readonly attempt: number;
}

/** Timers of one object that are due at the same instant merge; a retry never merges with an ordinary requeue. */
export function toTimerId(timer: Timer): string {
  return digestOf('timer', timer.reconciler, toKeyText(timer.key), timer.due, timer.attempt > 0);
}

/** For everything that says "look again": merges with nothing. */
export function toLookAgainId(key: Key, newId: NewId): string {
  return digestOf('again', toKeyText(key), newId());
}

/**
 * The deduplication id of a request on its work queue. Only a complete set of changes seen on a watch, or a due
 * instant, identifies a request; any other one gets an id of its own.
 */
export function toDeduplicationId(request: Request, newId: NewId): string {
  const { cause, key, sources, due } = request;
  if (cause === 'event' && sources !== undefined && sources.length > 0 && !sources.includes(manySources)) {
    return toEventId(key, sources);
  }
  if (cause === 'timer' && due !== undefined) {
    return toTimerId({ reconciler: request.reconciler, key, due, attempt: request.attempt });
  }
  return toLookAgainId(key, newId);
}

/** A whole number in [0, modulus) that depends on the key alone: spreads keys evenly over a period. */
export function toSpread(key: Key, modulus: number): number {
  const digits = 12;
  return Number.parseInt(hash('sha256', toKeyText(key), 'hex').slice(0, digits), 16) % modulus;
}
