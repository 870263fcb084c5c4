// The background work of the server: garbage collection and the cleanup of namespaces and definitions, soon after a
// relevant change. The work is throttled, so that requests are not delayed. Bookmarks are sent periodically.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCore } from './core/api-core.ts';

/** The idle time per unit of background work. Background work takes at most a tenth of the time. */
const idleShare = 9;

/** Starts immediately. Errors are passed to `onMistake`, and the loop continues at the next change. */
export function runControllers(
  core: ApiCore,
  of: { readonly onUnexpectedError: (error: unknown) => void },
): () => void {
  let running = false;
  let stopped = false;
  const run = async (): Promise<void> => {
    for (let left = true; left && !stopped; ) {
      const startedAt = performance.now();
      left = oneRound(core, of.onUnexpectedError);
      await delay((performance.now() - startedAt) * idleShare);
    }
    running = false;
    start();
  };
  const start = (): void => {
    if (!running && !stopped && core.hasWork()) {
      running = true;
      setImmediate(() => void run());
    }
  };
  const stop = core.onUpdate(start);
  start();
  return () => {
    stopped = true;
    stop();
  };
}

/** Returns true if another round may find more work. */
function oneRound(core: ApiCore, onUnexpectedError: (error: unknown) => void): boolean {
  try {
    return core.collectGarbage() + core.finalize() > 0;
  } catch (error) {
    onUnexpectedError(error);
    return false;
  }
}
