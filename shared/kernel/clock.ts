// Time as a port: adapters sleep for real, tests and the simulator step it.
import type { Instant } from '../api/object.ts';

export interface Clock {
  now(): Instant;
  /** Resolves after `ms`, or at once when `signal` aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
