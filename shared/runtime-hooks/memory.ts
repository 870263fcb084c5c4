// The response cache of a process, so that many events do not call extensions repeatedly. The loss of the cache only
// causes additional calls.
import type { Clock, Instant } from '@capi-serverless/apimachinery';
import { setNewest } from '../bounded-map.ts';
import type { ResponseMemory } from './port.ts';
import type { HookResponse } from './rules/hook.ts';

/** Upstream's time to live of a DiscoverVariables response. */
const timeToLiveMs = 10 * 60_000;
/** The maximum number of responses in the cache. */
const capacity = 200;

/** Evicts the oldest response if the cache is full. */
export function createResponseMemory(clock: Pick<Clock, 'now'>): ResponseMemory {
  const kept = new Map<string, { readonly response: HookResponse; readonly until: Instant }>();
  return {
    get: key => {
      const found = kept.get(key);
      return found !== undefined && clock.now() < found.until ? found.response : undefined;
    },
    set: (key, response) => void setNewest(kept, key, { response, until: clock.now() + timeToLiveMs }, capacity),
  };
}
