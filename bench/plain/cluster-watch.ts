// Records when a watch first shows a Cluster as Provisioned or deleted.
import type { WatchQuery } from '@capi-serverless/apimachinery';
import { phaseOf, type WorldClient } from '../../test/support/world-client.ts';

type Milestone = 'Provisioned' | 'gone';

export interface ClusterWatch {
  /** performance.now() of the event. Rejects if the watch fails. */
  seen(name: string, milestone: Milestone): Promise<number>;
  stop(): Promise<void>;
}

/** Watches the Clusters of the namespace from now on. */
export async function watchClusters(client: WorldClient, namespace: string): Promise<ClusterWatch> {
  const query: WatchQuery = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, as: 'object' };
  const stopping = new AbortController();
  const { signal } = stopping;
  const page = await client.kubernetes.watches.page(query, { limit: 1, signal });
  if (!page.ok) {
    throw new Error(page.failure.message);
  }
  const milestones = new Milestones();
  const following = follow(client, query, { resourceVersion: page.value.resourceVersion, signal, milestones });
  following.catch(error => milestones.fail(error));
  return {
    seen: (name, milestone) => milestones.wait(`${name} ${milestone}`),
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
    },
  };
}

async function follow(
  client: WorldClient,
  query: WatchQuery,
  from: { readonly resourceVersion: string; readonly signal: AbortSignal; readonly milestones: Milestones },
): Promise<void> {
  const { signal, milestones } = from;
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
        milestones.add(`${metadata.name} gone`);
      } else if (phaseOf(event.object) === 'Provisioned') {
        milestones.add(`${metadata.name} Provisioned`);
      }
    }
  }
}

class Milestones {
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
    known.promise.catch(() => undefined); // callers still get the error; without callers it must not become an unhandled rejection
    this.#seen.set(what, known);
    return known;
  }
}
