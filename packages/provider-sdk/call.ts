// Calls the author's function once and returns its outcome as data: a result, a requeue, a terminal error, or a failure.
import type { Checked, Instant, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { Log, Outcome } from '@capi-serverless/reconciler';
import type { BareContext, OwnStatus } from './author.ts';
import { findIntent, RequeueAfter } from './errors.ts';
import { parseOwnStatus, toDelayMs } from './results.ts';
import type { CheckedOwnStatus, ProviderRole } from './role.ts';
import { InvalidSpec } from './schema.ts';

export type CallEnd<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'later'; readonly ms: number }
  | { readonly kind: 'terminal'; readonly reason: string; readonly error: Error }
  /** The error if the spec does not match the author's schema. */
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'failed'; readonly error: Error };

export interface Called<T> {
  /** The status that the author recorded before the call ended. */
  readonly kept: CheckedOwnStatus;
  readonly end: CallEnd<T>;
}

/** The values from observe for the author's context. */
interface ObservedContext {
  readonly object: Unstructured;
  readonly client: Reads;
  readonly log: Log;
  readonly now: Instant;
}

export interface AuthorCall<T> {
  readonly role: Pick<ProviderRole, 'conditions' | 'status' | 'verdicts' | 'statusShape'>;
  readonly observed: ObservedContext;
  /** The function and the object, for messages. */
  readonly label: string;
  readonly method: (context: Omit<BareContext, 'cluster'>) => Promise<unknown>;
  readonly parse: (raw: unknown) => Checked<T>;
}

const nothingKept: CheckedOwnStatus = { conditions: [], status: {} };

/** Never throws. A call that has not ended when `abort` fires is treated as failed. */
export async function callAuthor<T>(call: AuthorCall<T>, abort: AbortSignal): Promise<Called<T>> {
  let kept = nothingKept;
  const record = (partial: OwnStatus): void => {
    const checked = parseOwnStatus(partial, call.role);
    if (!checked.ok) {
      throw new TypeError(`record was handed a wrong value: ${checked.error}`);
    }
    kept = mergeOwnStatus(kept, checked.value);
  };
  try {
    const object = structuredClone(call.observed.object);
    const context = { ...call.observed, object, abort, record };
    const raw = await untilAborted(call.label, abort, () => call.method(context));
    return { kept, end: toEnd(call.label, call.parse(raw)) };
  } catch (thrown) {
    return { kept, end: classify(thrown) };
  }
}

/** Returns the author's outcome from an earlier `run` action. */
export function calledOf<T>(outcome: Outcome | undefined): Called<T> {
  if (outcome?.state === 'done') {
    return outcome.value as Called<T>; // True: it is the value of a run that wraps callAuthor.
  }
  const text = outcome?.state === 'failed' ? outcome.failure.message : 'it was not called';
  return {
    kept: nothingKept,
    end: { kind: 'failed', error: new Error(`The provider's code has no outcome: ${text}`) },
  };
}

/** Later conditions replace earlier ones of the same type. Later fields replace those with the same name. */
function mergeOwnStatus(earlier: CheckedOwnStatus, later: CheckedOwnStatus): CheckedOwnStatus {
  const replaced = new Set(later.conditions.map(condition => condition.type));
  const remaining = earlier.conditions.filter(condition => !replaced.has(condition.type));
  return { conditions: [...remaining, ...later.conditions], status: { ...earlier.status, ...later.status } };
}

function toEnd<T>(label: string, parsed: Checked<T>): CallEnd<T> {
  return parsed.ok
    ? { kind: 'returned', value: parsed.value }
    : { kind: 'failed', error: new TypeError(`${label} returned a wrong result: ${parsed.error}`) };
}

function classify(thrown: unknown): CallEnd<never> {
  if (thrown instanceof InvalidSpec) {
    return { kind: 'refused', error: thrown };
  }
  const intent = findIntent(thrown);
  if (intent instanceof RequeueAfter) {
    return { kind: 'later', ms: toDelayMs(intent.seconds) };
  }
  if (intent !== undefined) {
    return { kind: 'terminal', reason: intent.reason, error: intent };
  }
  return { kind: 'failed', error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
}

/**
 * Does not wait for code that ignores its signal, because the retry must be scheduled before the function times out.
 */
async function untilAborted(label: string, abort: AbortSignal, start: () => Promise<unknown>): Promise<unknown> {
  abort.throwIfAborted();
  let onAbort = (): void => {};
  const deadline = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Error(`${label} did not end before the deadline`, { cause: abort.reason }));
    abort.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([start(), deadline]);
  } finally {
    abort.removeEventListener('abort', onAbort);
  }
}
