// Message ids. SQS delivers equal ids within 300 s once, so only requests that may be merged have equal ids.
// Every id contains the key, because a queue may compare ids across message groups.
import { hash } from 'node:crypto';
import { type Key, manySources, type Request, toKeyText } from './message.ts';

/** Returns a unique string, such as a random UUID. */
export type NewId = () => string;

/** base64url of SHA-256: 43 legal characters. A plain key can exceed the 128 characters that an id may have. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

function digestOf(...parts: readonly unknown[]): string {
  return digest(JSON.stringify(parts));
}

/** One group per object: while a request of an object is in flight, the queue delivers no other one. */
export function toGroupId(key: Key): string {
  return digest(toKeyText(key));
}

/** Identifies a set of changes, each `uid@resourceVersion`. Order and duplicates do not matter. */
export function toEventId(key: Key, sources: readonly string[]): string {
  return digestOf('event', toKeyText(key), [...new Set(sources)].sort());
}

export interface Timer {
  readonly reconciler: string;
  readonly key: Key;
  readonly due: number;
  readonly attempt: number;
}

/** Timers of one object with the same due time merge. A retry never merges with an ordinary requeue. */
export function toTimerId(timer: Timer): string {
  return digestOf('timer', timer.reconciler, toKeyText(timer.key), timer.due, timer.attempt > 0);
}

/** A unique id, for requests that must not merge with any other. */
export function toRecheckId(key: Key, newId: NewId): string {
  return digestOf('again', toKeyText(key), newId());
}

/**
 * The deduplication id of a request on its work queue. A complete set of watch events, or a due time, identifies a
 * request. Any other request gets a unique id.
 */
export function toDeduplicationId(request: Request, newId: NewId): string {
  const { cause, key, sources, due } = request;
  if (cause === 'event' && sources !== undefined && sources.length > 0 && !sources.includes(manySources)) {
    return toEventId(key, sources);
  }
  if (cause === 'timer' && due !== undefined) {
    return toTimerId({ reconciler: request.reconciler, key, due, attempt: request.attempt });
  }
  return toRecheckId(key, newId);
}

/** An integer in [0, modulus) that depends on the key alone. Spreads keys evenly over a period. */
export function toSpread(key: Key, modulus: number): number {
  const digits = 12;
  return Number.parseInt(hash('sha256', toKeyText(key), 'hex').slice(0, digits), 16) % modulus;
}
