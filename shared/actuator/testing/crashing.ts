// A client whose process dies at a chosen write: right before it is sent, or once it took effect and before its answer came.
import type { Kubernetes } from '../../kubernetes/port.ts';
import { type Around, aroundWrites } from './around-writes.ts';

export class CrashError extends Error {
  override readonly name = 'CrashError';
}

export interface Crashing {
  readonly kubernetes: Kubernetes;
  /** Whether the chosen write was reached. */
  hasCrashed(): boolean;
}

/** `write`: 1, 2, … in the order of sending. After the crash the client answers as usual. */
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
