// Caches parsed kubeconfigs, so that a process parses each version of a kubeconfig once.
import { setNewest } from '../bounded-map.ts';

/** The maximum number of cached kubeconfigs. With 64 KiB each, they need a few MiB. */
const capacity = 100;

/**
 * Returns the cached result for this key, or computes it. If the cache is full, the least recently used result is
 * dropped.
 */
export function parseOnce<Parsed>(): (key: string, parse: () => Promise<Parsed>) => Promise<Parsed> {
  const known = new Map<string, Promise<Parsed>>();
  return (key, parse) => {
    const parsed = known.get(key) ?? parse();
    setNewest(known, key, parsed, capacity);
    return parsed;
  };
}
