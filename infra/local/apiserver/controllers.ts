// The server's own background work: garbage collection and the emptying of namespaces and definitions, soon after a
// change that may call for them, but never so often that requests starve; and bookmarks now and then.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCore } from './core/api-core.ts';

/** Of the time, at most one part in so many goes into background work. */
const idleShare = 9;

/** Begins at once. Errors are told, and the work goes on with the next change. */
export function runControllers(core: ApiCore, of: { readonly onMistake: (error: unknown) => void }): () => void {
  let running = false;
  let stopped = false;
  const run = async (): Promise<void> => {
    for (let left = true; left && !stopped; ) {
      const startedAt = performance.now();
      left = oneRound(core, of.onMistake);
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
  const stop = core.onNews(start);
  start();
  return () => {
    stopped = true;
    stop();
  };
}

/** Whether another round may find more to do. */
function oneRound(core: ApiCore, onMistake: (error: unknown) => void): boolean {
  try {
    return core.collectGarbage() + core.finalize() > 0;
  } catch (error) {
    onMistake(error);
    return false;
  }
}
