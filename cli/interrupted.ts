// Signals that end a long-running command.

/** Aborts at the first SIGINT (Ctrl-C) or SIGTERM. A second one ends the process at once. */
export function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return interrupted.signal;
}
