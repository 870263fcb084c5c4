// A client whose process dies at a chosen write: right before it is sent, or once it took effect and before its answer came.
import type { Kubernetes } from '../../kubernetes/port.ts';

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
  const around = async <T>(send: () => Promise<T>): Promise<T> => {
    sent += 1;
    if (sent !== write) {
      return send();
    }
    if (when === 'after') {
      await send();
    }
    throw new CrashError(`The process ended ${when} write ${write}`);
  };
  const wrap = (client: Kubernetes): Kubernetes => ({
    ...readsOf(client),
    create: (object, options) => around(() => client.create(object, options)),
    mergePatch: (ref, body, options) => around(() => client.mergePatch(ref, body, options)),
    jsonPatch: (ref, body, options) => around(() => client.jsonPatch(ref, body, options)),
    apply: (object, options) => around(() => client.apply(object, options)),
    delete: (ref, options) => around(() => client.delete(ref, options)),
    within: signal => wrap(client.within(signal)),
  });
  return { kubernetes: wrap(inner), hasCrashed: () => sent >= write };
}

/** Methods of adapters may need their object. */
function readsOf(client: Kubernetes): Pick<Kubernetes, 'get' | 'metadata' | 'list' | 'dryRun' | 'watches'> {
  return {
    get: client.get.bind(client),
    metadata: client.metadata.bind(client),
    list: client.list.bind(client),
    dryRun: client.dryRun,
    watches: client.watches,
  };
}
