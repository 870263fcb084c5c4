// The machine's clock, the only place that reads it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      // A time that has passed meanwhile is no time at all.
      await delay(Math.max(0, ms), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) {
        throw error;
      }
    }
  },
};
