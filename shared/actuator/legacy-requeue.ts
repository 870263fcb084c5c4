// Actuators of the first generation asked for a retry by the text of their error: `requeue in: 1m30s`.
import { findIntent, RequeueAfter } from './errors.ts';

const form = /requeue in: ((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)/;
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

const secondsPer = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** The retry that the text of an error asks for, in the form of today; anything else as it was thrown. */
export function toIntent(thrown: unknown): unknown {
  if (findIntent(thrown) !== undefined || !(thrown instanceof Error)) {
    return thrown;
  }
  const duration = form.exec(thrown.message)?.[1];
  return duration === undefined ? thrown : new RequeueAfter(toSeconds(duration), { cause: thrown });
}

function toSeconds(duration: string): number {
  const parts = [...duration.matchAll(part)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * secondsPer[unit as keyof typeof secondsPer], 0); // the pattern's units
}
