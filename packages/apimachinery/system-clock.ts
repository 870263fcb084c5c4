// The clock of the machine. No other module reads it.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@capi-serverless/apimachinery';
import { withoutUndefined } from './json.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      // The time may have passed in the meantime.
      await delay(Math.max(0, ms), undefined, withoutUndefined({ signal }));
    } catch (error) {
      if (signal?.aborted !== true) {
        throw error;
      }
    }
  },
};
