// A time limit for everything that a section waits for.
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../section.ts';

interface Wait {
  readonly what: string;
  /** The state so far, for progress messages and for the error. */
  readonly state: () => string;
  readonly say: Say;
  readonly limitMs?: number | undefined;
}

const defaultLimitMs = 240_000;
const progressMs = 15_000;

/** Prints the state every 15 seconds. Rejects after the limit, with what was awaited and the state. */
export async function within<T>(wait: Wait, awaited: Promise<T>): Promise<T> {
  const { what, state, say, limitMs = defaultLimitMs } = wait;
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`Waited ${limitMs / 1000} s for ${what}; ${state()}`);
  });
  late.catch(() => undefined); // aborted when the result is known
  const progress = setInterval(() => say(`waiting for ${what}; ${state()}`), progressMs);
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearInterval(progress);
    done.abort();
  }
}
