// An idle timeout for watch streams. A broken connection delivers neither events nor an end.
import type { Clock } from '@capi-serverless/apimachinery';

export interface IdleTimeout {
  /** Restarts the timeout, because an event arrived. */
  reset(): void;
  /** Aborts when the timeout expires. */
  readonly expired: AbortSignal;
}

/** Runs until `over` aborts. */
export function startIdleTimeout(of: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly over: AbortSignal;
}): IdleTimeout {
  const { clock, limitMs, over } = of;
  const expired = new AbortController();
  let lastAt = clock.now();
  const wait = async (): Promise<void> => {
    for (let leftMs = limitMs; leftMs > 0 && !over.aborted; leftMs = lastAt + limitMs - clock.now()) {
      // A clock that was turned back must not make the wait longer than the limit.
      await clock.sleep(Math.min(leftMs, limitMs), over);
    }
    if (!over.aborted) {
      expired.abort();
    }
  };
  void wait();
  return {
    reset() {
      lastAt = clock.now();
    },
    expired: expired.signal,
  };
}
