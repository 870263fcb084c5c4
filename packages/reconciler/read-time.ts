// The time limit of the reads of a pass. It ends before the invocation, so that the pass can write what it has read.
import type { Clock, Instant } from '@capi-serverless/apimachinery';

interface ReadTime {
  readonly clock: Clock;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
  /** If absent, reads may take until the deadline. */
  readonly readsEnd?: Instant | undefined;
}

/** Passes a signal to `read` that aborts with `signal`, or at `readsEnd`. It does not abort after `read` has settled. */
export async function withReadTime<T>(
  { clock, signal, readsEnd }: ReadTime,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (readsEnd === undefined) {
    return read(signal);
  }
  const late = new AbortController();
  const settled = new AbortController();
  const waited = clock.sleep(readsEnd - clock.now(), settled.signal).then(() => {
    if (!settled.signal.aborted) {
      late.abort(new DOMException('The time for the reads of this pass is up', 'TimeoutError'));
    }
  });
  try {
    return await read(AbortSignal.any([signal, late.signal]));
  } finally {
    settled.abort('the reads have settled');
    await waited;
  }
}
