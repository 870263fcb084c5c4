// What a process remembers of extensions' answers, so that a burst of events asks them once. Losing it costs calls.
import type { Instant } from '../api/object.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ResponseMemory } from './port.ts';
import type { HookResponse } from './rules/hook.ts';

/** Upstream's time to live of a DiscoverVariables response. */
const timeToLiveMs = 10 * 60_000;
/** How many responses are kept. */
const capacity = 200;

/** The oldest goes when there is no room. */
export function createResponseMemory(clock: Pick<Clock, 'now'>): ResponseMemory {
  const kept = new Map<string, { readonly response: HookResponse; readonly until: Instant }>();
  return {
    get: key => {
      const found = kept.get(key);
      return found !== undefined && clock.now() < found.until ? found.response : undefined;
    },
    set: (key, response) => {
      kept.delete(key);
      kept.set(key, { response, until: clock.now() + timeToLiveMs });
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) {
        kept.delete(oldest);
      }
    },
  };
}
