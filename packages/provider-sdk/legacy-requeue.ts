// v1alpha1 actuators requested a retry in the text of their error: `requeue in: 1m30s`.
import { parseDuration } from '@capi-serverless/apimachinery/duration';
import { findIntent, RequeueAfter } from './errors.ts';

const form = /requeue in: ((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)/;

/** Returns the RequeueAfter that the text of an error requests. Returns any other value unchanged. */
export function toIntent(thrown: unknown): unknown {
  if (findIntent(thrown) !== undefined || !(thrown instanceof Error)) {
    return thrown;
  }
  const nanoseconds = parseDuration(form.exec(thrown.message)?.[1] ?? '');
  return nanoseconds === undefined ? thrown : new RequeueAfter(Number(nanoseconds) / 1e9, { cause: thrown });
}
