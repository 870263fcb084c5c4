// Follows the Clusters of the API server and tells each change that a user would notice.
import type { Unstructured } from '../../../shared/api/object.ts';
import { toDisplayName } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { passesWatchFilter } from '../../../shared/kernel/watch-filter.ts';
import type { Watches, WatchQuery } from '../../../shared/kubernetes/port.ts';
import { type ClusterView, viewCluster } from './waiting.ts';

const clusters: WatchQuery = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', as: 'object' };
const pageSize = 500;
const retryMs = 1_000;

export interface ProgressChange {
  readonly cluster: string;
  /** `undefined`: the Cluster is gone. */
  readonly view: ClusterView | undefined;
}

export interface ProgressContext {
  readonly watches: Watches;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Clusters that the functions leave alone are not shown; "" shows all. */
  readonly watchFilter: string;
  readonly onChange: (change: ProgressChange) => void;
  /** Every Cluster that exists has been told. */
  readonly onListed: () => void;
}

/** Follows until `signal` aborts; a lost watch is taken up again with a listing, after a second if the server refused it. */
export async function followClusters(context: ProgressContext): Promise<void> {
  const shown = new Map<string, string>();
  while (!context.signal.aborted) {
    const version = await listOnce(context, shown);
    const refused = version === undefined || (await watchOnce(context, shown, version)) === 'refused';
    if (refused) {
      await context.clock.sleep(retryMs, context.signal);
    }
  }
}

async function watchOnce(
  context: ProgressContext,
  shown: Map<string, string>,
  resourceVersion: string,
): Promise<'ended' | 'refused'> {
  for await (const event of context.watches.watch(clusters, { resourceVersion, signal: context.signal })) {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        show(context, shown, event.object);
        break;
      case 'DELETED':
        forget(context, shown, toDisplayName(event.object.metadata));
        break;
      case 'FAILED':
        return 'refused';
      case 'BOOKMARK':
        break;
    }
  }
  return 'ended';
}

/** Resolves with the version to watch from; `undefined` when a page is refused or the signal aborted. */
async function listOnce(context: ProgressContext, shown: Map<string, string>): Promise<string | undefined> {
  const found = new Set<string>();
  let next: string | undefined;
  do {
    const answer = await context.watches.page(clusters, {
      limit: pageSize,
      signal: context.signal,
      ...(next === undefined ? {} : { continue: next }),
    });
    if (!answer.ok) {
      return undefined;
    }
    for (const cluster of answer.value.items) {
      found.add(toDisplayName(cluster.metadata));
      show(context, shown, cluster);
    }
    next = answer.value.continue;
    if (next === undefined) {
      for (const gone of [...shown.keys()].filter(name => !found.has(name))) {
        forget(context, shown, gone);
      }
      context.onListed();
      return answer.value.resourceVersion;
    }
  } while (!context.signal.aborted);
  return undefined;
}

function show(context: ProgressContext, shown: Map<string, string>, object: Unstructured): void {
  const cluster = toDisplayName(object.metadata);
  if (!passesWatchFilter(object, context.watchFilter)) {
    forget(context, shown, cluster);
    return;
  }
  const view = viewCluster(object);
  const text = JSON.stringify(view);
  if (shown.get(cluster) !== text) {
    shown.set(cluster, text);
    context.onChange({ cluster, view });
  }
}

function forget(context: ProgressContext, shown: Map<string, string>, cluster: string): void {
  if (shown.delete(cluster)) {
    context.onChange({ cluster, view: undefined });
  }
}
