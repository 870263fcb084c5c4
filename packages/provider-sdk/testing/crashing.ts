// A client that crashes at a given write: before it is sent, or after it took effect and before the response arrived.
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { type Around, aroundWrites } from './around-writes.ts';

export class CrashError extends Error {
  override readonly name = 'CrashError';
}

interface Crashing {
  readonly kubernetes: Kubernetes;
  /** Returns whether the given write was reached. */
  hasCrashed(): boolean;
}

/** `write` is the number of the write in the order of sending: 1, 2, …. After the crash, the client works as usual. */
export function crashingAt(inner: Kubernetes, write: number, when: 'before' | 'after'): Crashing {
  let sent = 0;
  const around: Around = async (_target, send) => {
    sent += 1;
    if (sent !== write) {
      return send();
    }
    if (when === 'after') {
      await send();
    }
    throw new CrashError(`The process ended ${when} write ${write}`);
  };
  return { kubernetes: aroundWrites(inner, around), hasCrashed: () => sent >= write };
}
