// Attributes repeated deliveries to processes that died (docs/decisions/0067-attributed-deaths.md). Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import { leaseSeconds } from '../workqueue/queue-specs.ts';

interface Delivery {
  /** The number of deliveries of the message, with this one. Default: 1. */
  readonly receiveCount?: number;
  readonly firstReceivedAtMs?: number;
}

/** The clocks of queue and function differ by less. */
const clockMs = 5_000;
/** The time until a visible message is delivered. */
const pollMs = 15_000;

/**
 * Returns how many processes died while they had this message. A dead process leaves its message hidden for the lease.
 * Messages that a function gave back come earlier. Those that Lambda received and could not pass to a throttled function
 * stay hidden for the queue's visibility timeout, which is longer than `timeoutMs` and a lease, so they come later:
 * neither is a death. A mixture counts as none, and the next delivery is judged again.
 */
export function deathsOf(
  { receiveCount = 1, firstReceivedAtMs }: Delivery,
  { now, timeoutMs }: { readonly now: Instant; readonly timeoutMs: number },
): number {
  const earlier = receiveCount - 1;
  if (firstReceivedAtMs === undefined) {
    return 0;
  }
  const passedMs = now - firstReceivedAtMs;
  const leaseMs = leaseSeconds * 1000;
  const isTimely = passedMs >= earlier * (leaseMs - clockMs) && passedMs <= earlier * (timeoutMs + leaseMs + pollMs);
  return isTimely ? earlier : 0;
}
