// An idle timeout for watch streams. A broken connection delivers neither events nor an end of the stream.
import type { Clock } from '@capi-serverless/apimachinery';

interface IdleTimeout {
  /** Restarts the timeout. Called when an event arrives. */
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
      // If the clock was set back, the timeout must not exceed the limit.
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
