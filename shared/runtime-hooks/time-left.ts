// Determines whether a hook call fits into the invocation. A call that this limit ends is not a failure of the handler.
import type { Instant } from '@capi-serverless/apimachinery';

/** Returns the reason why the call must wait for the next invocation, or `undefined` if it may start. */
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

/** The message if the invocation ends during a call. */
export const endedMeanwhile = 'this invocation ended before the extension answered; the next one calls it again';
