// The time of a requested rollout.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { textAt } from './read.ts';

/** Returns `undefined` if no rollout is scheduled. */
export function secondsUntilRollout(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return after > now ? (after - now) / 1000 : undefined;
}

/** Older Machines are replaced after this time has passed. `undefined` if it has not passed or is not set. */
export function rolloutAfter(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return Number.isNaN(after) || after > now ? undefined : after;
}
