// Follows the objects of kinds with watches, and records when a condition becomes true.
import type { Unstructured, WatchQuery } from '@capi-serverless/apimachinery';
import type { WorldClient } from '../../test/support/world-client.ts';

type Watching = Pick<WorldClient, 'kubernetes'>;

type Kind = Pick<WatchQuery, 'apiVersion' | 'kind' | 'namespace'>;

/** The objects by `Kind/name`. */
export type Objects = ReadonlyMap<string, Unstructured>;

interface Change {
  readonly object: Unstructured;
  readonly isDeleted: boolean;
}

interface Following {
  readonly signal: AbortSignal;
  readonly onChange: (change: Change) => void;
}

/** Follows the changes of a kind from now on. The inner promise resolves after `signal`. It rejects if the watch fails. */
export async function followKind(
  client: Watching,
  kind: Kind,
  { signal, onChange }: Following,
): Promise<{ readonly ended: Promise<void> }> {
  const query: WatchQuery = { ...kind, as: 'object' };
  const page = await client.kubernetes.watches.page(query, { limit: 1, signal });
  if (!page.ok) {
    throw new Error(page.failure.message);
  }
  const ended = follow(client, query, { resourceVersion: page.value.resourceVersion, signal, onChange });
  return { ended };
}

async function follow(
  client: Watching,
  query: WatchQuery,
  from: Following & { readonly resourceVersion: string },
): Promise<void> {
  const { signal, onChange } = from;
  let { resourceVersion } = from;
  while (!signal.aborted) {
    for await (const event of client.kubernetes.watches.watch(query, { resourceVersion, signal })) {
      if (event.type === 'FAILED') {
        if (signal.aborted) {
          return;
        }
        throw new Error(`The bench's watch of ${query.kind} failed: ${event.failure.message}`);
      }
      if (event.type === 'BOOKMARK') {
        continue;
      }
      resourceVersion = event.object.metadata.resourceVersion;
      onChange({ object: event.object, isDeleted: event.type === 'DELETED' });
    }
  }
}

interface Waiting extends PromiseWithResolvers<number> {
  readonly holds: (objects: Objects) => boolean;
}

/** It contains the objects that changed since its start. */
export class ObjectWatch {
  readonly #objects = new Map<string, Unstructured>();
  readonly #waiting = new Set<Waiting>();
  readonly #stopping = new AbortController();
  #failure: Error | undefined;

  private constructor() {}

  static async start(client: Watching, kinds: readonly Kind[]): Promise<ObjectWatch> {
    const watch = new ObjectWatch();
    const following = { signal: watch.#stopping.signal, onChange: (change: Change) => watch.#add(change) };
    for (const kind of kinds) {
      const { ended } = await followKind(client, kind, following);
      ended.catch(error => watch.fail(error));
    }
    return watch;
  }

  get objects(): Objects {
    return this.#objects;
  }

  /** Returns performance.now() of the event after which the condition holds. Rejects if a watch fails. */
  until(holds: Waiting['holds']): Promise<number> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    if (holds(this.#objects)) {
      return Promise.resolve(performance.now());
    }
    const waiting: Waiting = { ...Promise.withResolvers<number>(), holds };
    waiting.promise.catch(() => undefined); // callers still get the error; without callers it must not become an unhandled rejection
    this.#waiting.add(waiting);
    return waiting.promise;
  }

  /** Rejects everything that waits, now and later. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting) {
      reject(error);
    }
    this.#waiting.clear();
  }

  stop(): void {
    this.#stopping.abort();
  }

  #add({ object, isDeleted }: Change): void {
    const key = `${object.kind}/${object.metadata.name}`;
    if (isDeleted) {
      this.#objects.delete(key);
    } else {
      this.#objects.set(key, object);
    }
    const at = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.holds(this.#objects)) {
        this.#waiting.delete(waiting);
        waiting.resolve(at);
      }
    }
  }
}
