// Tells when a Cluster was first seen in phase Provisioned, or gone, on one watch.
import type { WatchQuery } from '../../shared/kubernetes/port.ts';
import { phaseOf, type WorldClient } from '../../test/support/world-client.ts';

type Sight = 'Provisioned' | 'gone';

export interface ClusterWatch {
  /** performance.now() when it was seen. Rejects when the watch fails. */
  seen(name: string, sight: Sight): Promise<number>;
  stop(): Promise<void>;
}

/** Follows the Clusters of the namespace from now on. */
export async function watchClusters(client: WorldClient, namespace: string): Promise<ClusterWatch> {
  const query: WatchQuery = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, as: 'object' };
  const stopping = new AbortController();
  const { signal } = stopping;
  const page = await client.kubernetes.watches.page(query, { limit: 1, signal });
  if (!page.ok) {
    throw new Error(page.failure.message);
  }
  const sights = new Sights();
  const following = follow(client, query, { resourceVersion: page.value.resourceVersion, signal, sights });
  following.catch(error => sights.fail(error));
  return {
    seen: (name, sight) => sights.wait(`${name} ${sight}`),
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
    },
  };
}

async function follow(
  client: WorldClient,
  query: WatchQuery,
  from: { readonly resourceVersion: string; readonly signal: AbortSignal; readonly sights: Sights },
): Promise<void> {
  const { signal, sights } = from;
  let { resourceVersion } = from;
  while (!signal.aborted) {
    for await (const event of client.kubernetes.watches.watch(query, { resourceVersion, signal })) {
      if (event.type === 'FAILED') {
        throw new Error(`The bench's watch failed: ${event.failure.message}`);
      }
      if (event.type === 'BOOKMARK') {
        continue;
      }
      const { metadata } = event.object;
      resourceVersion = metadata.resourceVersion;
      if (event.type === 'DELETED') {
        sights.add(`${metadata.name} gone`);
      } else if (phaseOf(event.object) === 'Provisioned') {
        sights.add(`${metadata.name} Provisioned`);
      }
    }
  }
}

class Sights {
  readonly #seen = new Map<string, PromiseWithResolvers<number>>();
  #failure: Error | undefined;

  add(what: string): void {
    this.#entry(what).resolve(performance.now());
  }

  wait(what: string): Promise<number> {
    return this.#failure === undefined ? this.#entry(what).promise : Promise.reject(this.#failure);
  }

  fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#seen.values()) {
      reject(error);
    }
  }

  #entry(what: string): PromiseWithResolvers<number> {
    const known = this.#seen.get(what) ?? Promise.withResolvers<number>();
    known.promise.catch(() => undefined); // whoever waits is told; an entry without a waiter is no unhandled rejection
    this.#seen.set(what, known);
    return known;
  }
}
