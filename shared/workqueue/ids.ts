// Message ids. SQS delivers equal ids only once within 300 s, so only requests that may be merged have equal ids. Every
// id contains the reconciler and the key, because reconcilers may share a queue, and a queue may compare ids across
// message groups.
import { hash } from 'node:crypto';
import { type Key, manySources, type Request, toKeyText } from './message.ts';

/** Returns a unique string, such as a random UUID. */
export type NewId = () => string;

/**
 * Returns the base64url form of a SHA-256: 43 valid characters. A plain key can exceed the maximum of 128 characters
 * for an id.
 */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

function digestOf(...parts: readonly unknown[]): string {
  return digest(JSON.stringify(parts));
}

/** What a request asks for: a reconcile of one object by one reconciler. */
type Target = Pick<Request, 'reconciler' | 'key'>;

/**
 * Each object has its own group for each of its reconcilers. While a request of a group is being processed, the queue
 * delivers no other request of it.
 */
export function toGroupId({ reconciler, key }: Target): string {
  return digestOf('group', reconciler, toKeyText(key));
}

/** Identifies a set of changes of the form `uid@resourceVersion`. Order and duplicates do not matter. */
export function toEventId({ reconciler, key }: Target, sources: readonly string[]): string {
  return digestOf('event', reconciler, toKeyText(key), [...new Set(sources)].sort());
}

interface Timer extends Target {
  readonly due: number;
  readonly attempt: number;
}

/** Timers of one object with the same due time are merged. A retry is never merged with an ordinary requeue. */
export function toTimerId(timer: Timer): string {
  return digestOf('timer', timer.reconciler, toKeyText(timer.key), timer.due, timer.attempt > 0);
}

/** Returns a unique id, for requests that must not be merged. */
export function toRecheckId({ reconciler, key }: Target, newId: NewId): string {
  return digestOf('again', reconciler, toKeyText(key), newId());
}

/**
 * Returns the deduplication id of a request on its work queue. A complete set of watch events, or a due time,
 * identifies a request. Any other request gets a unique id.
 */
export function toDeduplicationId(request: Request, newId: NewId): string {
  const { cause, key, sources, due } = request;
  if (cause === 'event' && sources !== undefined && sources.length > 0 && !sources.includes(manySources)) {
    return toEventId(request, sources);
  }
  if (cause === 'timer' && due !== undefined) {
    return toTimerId({ reconciler: request.reconciler, key, due, attempt: request.attempt });
  }
  return toRecheckId(request, newId);
}

/**
 * Returns an integer in [0, modulus) that depends on the key and the use only. It distributes keys evenly over a period.
 * Two spreads of the same keys need different uses: keys that are equal in one would otherwise collide in the other.
 */
export function toSpread(key: Key, modulus: number, use = ''): number {
  const digits = 12;
  return Number.parseInt(hash('sha256', use + toKeyText(key), 'hex').slice(0, digits), 16) % modulus;
}
