// Runs rules that look up stored objects at once, although a read takes time: they run again with each answer.

/** Thrown by a look-up whose answer is not known yet. */
class Unknown {
  readonly read: () => Promise<void>;

  constructor(read: () => Promise<void>) {
    this.read = read;
  }
}

/** Rules look up two classes and one progress at most. */
const mostReads = 8;

/** Returns a look-up that reads each key once. */
export function createLookup<Key, T>(toId: (key: Key) => string, read: (key: Key) => Promise<T>): (key: Key) => T {
  const known = new Map<string, { readonly value: T }>();
  return key => {
    const id = toId(key);
    const found = known.get(id);
    if (found === undefined) {
      throw new Unknown(async () => {
        known.set(id, { value: await read(key) });
      });
    }
    return found.value;
  };
}

/** Rejects if a read rejects. `decide` must be pure. */
export async function untilKnown<T>(decide: () => T): Promise<T> {
  for (let reads = 0; reads <= mostReads; reads += 1) {
    try {
      return decide();
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) {
        throw thrown;
      }
      await thrown.read();
    }
  }
  throw new Error(`A decision needs more than ${mostReads} reads`);
}
