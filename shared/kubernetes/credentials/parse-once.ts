// Keeps what was parsed from kubeconfigs, so that each version of one is parsed once in the life of a process.

/** Kubeconfigs that are kept. With 64 KiB each they take a few MiB. */
const capacity = 100;

/** Returns the known result for that key, or makes it. Of too many, the one that was not asked for longest is dropped. */
export function parseOnce<Parsed>(): (key: string, parse: () => Promise<Parsed>) => Promise<Parsed> {
  const known = new Map<string, Promise<Parsed>>();
  return (key, parse) => {
    const parsed = known.get(key) ?? parse();
    known.delete(key);
    known.set(key, parsed);
    const [oldest] = known.keys();
    if (known.size > capacity && oldest !== undefined) {
      known.delete(oldest);
    }
    return parsed;
  };
}
