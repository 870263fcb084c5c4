// Signals that end a long-running command.

/** Aborts at the first SIGINT (Ctrl-C) or SIGTERM. The second signal ends the process immediately. */
export function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return interrupted.signal;
}
