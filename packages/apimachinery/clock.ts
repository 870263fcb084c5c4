// Time as a port: production adapters sleep, tests and the simulator step the time.
import type { Instant } from './object.ts';

export interface Clock {
  now(): Instant;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
