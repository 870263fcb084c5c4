// Whether a call still fits into the invocation: a handler that is cut off by our own end is not the one that failed.
import type { Instant } from '../api/object.ts';

/** Why the call must wait for another invocation; `undefined` when it may start. */
export function shortageOfTime(
  { timeoutSeconds }: { readonly timeoutSeconds: number },
  { now, deadline }: { readonly now: Instant; readonly deadline: Instant | undefined },
): string | undefined {
  if (deadline === undefined || now + timeoutSeconds * 1000 <= deadline) {
    return undefined;
  }
  const left = Math.max(0, Math.floor((deadline - now) / 1000));
  return `not called: it may take ${timeoutSeconds} s, and ${left} s of this invocation are left; the next one calls it`;
}

/** What is said when the invocation ends while an extension is being called. */
export const endedMeanwhile = 'this invocation ended before the extension answered; the next one calls it again';
