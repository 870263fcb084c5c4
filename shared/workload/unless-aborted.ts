// Waiting for work that another caller has started, whose signal is a different one.

/** Resolves with the value, or with `undefined` as soon as the signal aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  const aborted = new Promise<undefined>(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
  });
  try {
    return signal.aborted ? undefined : await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}
