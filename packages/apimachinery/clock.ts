// Time as a port. Production adapters sleep. Tests and the simulator step the time.
import type { Instant } from './object.ts';

export interface Clock {
  now(): Instant;
  /** Resolves after `ms`, or immediately when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
