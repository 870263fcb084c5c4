// The common deletion of all simulated kinds. It takes a configured time, and an annotation blocks it.
import type { DeleteContext, DeleteResult } from '@capi-serverless/provider-sdk';
import { ordersOf } from './orders.ts';
import { progressOf, toInstant } from './progress.ts';

/** The retry interval. The removal of the annotation also enqueues the object. */
const hangingSeconds = 60;

interface Demolition {
  readonly seconds: number;
  /** The steps that the status reports, in order. */
  readonly steps: readonly [string, ...string[]];
}

export async function removeAll({ object, now }: DeleteContext, { seconds, steps }: Demolition): Promise<DeleteResult> {
  const held = ordersOf(object).deleteHang;
  const startedAt = toInstant(object.metadata.deletionTimestamp, now);
  const progress = progressOf({ steps, startedAt, seconds, now, held });
  if (progress.done) {
    return { done: true };
  }
  return { done: false, message: progress.step, requeueAfter: held ? hangingSeconds : progress.secondsLeft };
}
