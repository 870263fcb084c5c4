// A client whose writes pass through a function of the suite.
import { type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';

/** Sends the write or omits it. */
export type Around = <T>(target: ObjectRef, send: () => Promise<T>) => Promise<T>;

export function aroundWrites(client: Kubernetes, around: Around): Kubernetes {
  return {
    ...readsOf(client),
    create: (object, options) => around(toRef(object), () => client.create(object, options)),
    mergePatch: (ref, body, options) => around(ref, () => client.mergePatch(ref, body, options)),
    jsonPatch: (ref, body, options) => around(ref, () => client.jsonPatch(ref, body, options)),
    apply: (object, options) => around(toRef(object), () => client.apply(object, options)),
    delete: (ref, options) => around(ref, () => client.delete(ref, options)),
    within: signal => aroundWrites(client.within(signal), around),
  };
}

/** Binds the methods, because methods of adapters may use `this`. */
function readsOf(client: Kubernetes): Pick<Kubernetes, 'get' | 'metadata' | 'list' | 'dryRun' | 'watches'> {
  return {
    get: client.get.bind(client),
    metadata: client.metadata.bind(client),
    list: client.list.bind(client),
    dryRun: client.dryRun,
    watches: client.watches,
  };
}
