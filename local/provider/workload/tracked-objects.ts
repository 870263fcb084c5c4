// The objects of one kind in an API server core, and what changed since they were last examined. Code that runs before
// each request must not examine all objects.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ApiCore, ResourceWatch } from '@capi-serverless/apiserver/core';

/** A change of one object, or several of them. */
export interface TrackedChange {
  readonly key: string;
  /** `undefined`: it exists no longer. */
  readonly object: Unstructured | undefined;
  /** `undefined`: it did not exist. */
  readonly previous: Unstructured | undefined;
}

export class TrackedObjects {
  readonly #core: ApiCore;
  readonly #kind: readonly [apiVersion: string, kind: string];
  #watch: ResourceWatch;
  #objects = new Map<string, Unstructured>();

  constructor(core: ApiCore, ...kind: readonly [apiVersion: string, kind: string]) {
    this.#core = core;
    this.#kind = kind;
    this.#watch = this.#start();
  }

  /** The objects after the last call of `takeChanges`, by key. */
  get objects(): ReadonlyMap<string, Unstructured> {
    return this.#objects;
  }

  /** Returns the changes since the last call. The first call returns all objects. */
  takeChanges(): readonly TrackedChange[] {
    const before = new Map<string, Unstructured | undefined>();
    const note = (key: string): void => {
      before.set(key, before.has(key) ? before.get(key) : this.#objects.get(key));
    };
    for (let step = this.#watch.next(); step !== 'idle'; step = this.#watch.next()) {
      if (step === 'ended') {
        // A part of the history was dropped. The new watch begins with all objects.
        for (const key of this.#objects.keys()) {
          note(key);
        }
        this.#objects = new Map();
        this.#watch = this.#start();
        continue;
      }
      const key = keyOf(step.object);
      note(key);
      if (step.type === 'DELETED') {
        this.#objects.delete(key);
      } else {
        this.#objects.set(key, step.object);
      }
    }
    return [...before].map(([key, previous]) => ({ key, object: this.#objects.get(key), previous }));
  }

  #start(): ResourceWatch {
    return this.#core.watch(this.#core.registry.endpointOfKind(...this.#kind), {});
  }
}

/** Returns the key of an object: `namespace/name`, or the name of a cluster-scoped object. */
function keyOf({ metadata: { namespace, name } }: Unstructured): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
