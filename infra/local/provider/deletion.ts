// The deletion that all simulated kinds share: it takes its time, and hangs on request.
import type { DeleteContext, DeleteResult } from '../../../shared/actuator/index.ts';
import { ordersOf } from './orders.ts';
import { progressOf, toInstant } from './progress.ts';

/** Taking the annotation away wakes the object anyway. */
const hangingSeconds = 60;

export interface Demolition {
  readonly seconds: number;
  /** What is shown while it goes on, in order. */
  readonly steps: readonly [string, ...string[]];
}

export async function demolish({ object, now }: DeleteContext, { seconds, steps }: Demolition): Promise<DeleteResult> {
  const held = ordersOf(object).deleteHang;
  const startedAt = toInstant(object.metadata.deletionTimestamp, now);
  const progress = progressOf({ steps, startedAt, seconds, now, held });
  if (progress.done) {
    return { done: true };
  }
  return { done: false, message: progress.step, requeueAfter: held ? hangingSeconds : progress.secondsLeft };
}
