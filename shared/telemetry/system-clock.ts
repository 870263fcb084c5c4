// The machine's clock, the only place that reads it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) {
        throw error;
      }
    }
  },
};
