// Notices that a stream has gone silent: a connection that died on the way shows nothing, not even an end.
import type { Clock } from '../../shared/kernel/clock.ts';

export interface Vigil {
  /** Something came: the limit counts from now. */
  heard(): void;
  /** Aborts once nothing came for as long as the limit. */
  readonly silent: AbortSignal;
}

/** Keeps watch until `over` aborts. */
export function keepVigil(of: { readonly clock: Clock; readonly limitMs: number; readonly over: AbortSignal }): Vigil {
  const { clock, limitMs, over } = of;
  const silent = new AbortController();
  let lastAt = clock.now();
  const wait = async (): Promise<void> => {
    for (let leftMs = limitMs; leftMs > 0 && !over.aborted; leftMs = lastAt + limitMs - clock.now()) {
      // A clock that was turned back must not make the wait longer than the limit.
      await clock.sleep(Math.min(leftMs, limitMs), over);
    }
    if (!over.aborted) {
      silent.abort();
    }
  };
  void wait();
  return {
    heard() {
      lastAt = clock.now();
    },
    silent: silent.signal,
  };
}
