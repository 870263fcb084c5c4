// Waits for the state of a Cluster in real time, because the programs of upstream have no other clock.
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 250;
export const longestMs = 400_000;

/** `whyNot` returns the reason why the state is not reached, which the error repeats after the longest time. */
export async function until(what: string, whyNot: () => Promise<string | undefined>): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  for (let why = await whyNot(); why !== undefined; why = await whyNot()) {
    if (signal.aborted) {
      throw new Error(`The Cluster did not ${what} within ${longestMs / 1000} s: ${why}`);
    }
    await delay(pollMs);
  }
}
