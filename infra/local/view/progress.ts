// Follows the Clusters of the API server and tells each change that a user would notice.
import type { Unstructured } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { passesWatchFilter } from '../../../shared/kernel/watch-filter.ts';
import type { Watches, WatchQuery } from '../../../shared/kubernetes/port.ts';
import { followKind } from './follow-kind.ts';
import { type ClusterView, viewCluster } from './waiting.ts';

const clusters: WatchQuery = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', as: 'object' };

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
  /** Every version of every Cluster, noticeable or not; `undefined`: it is gone. */
  readonly onCluster?: (name: string, cluster: Unstructured | undefined) => void;
  /** Every Cluster that exists has been told. */
  readonly onListed: () => void;
}

/** Follows until `signal` aborts; a lost watch is taken up again with a listing, after a second if the server refused it. */
export async function followClusters(context: ProgressContext): Promise<void> {
  const shown = new Map<string, string>();
  const { watches, clock, signal, onListed } = context;
  await followKind({
    query: clusters,
    watches,
    clock,
    signal,
    onObject: (name, cluster) => show(context, shown, { name, cluster }),
    onGone: name => forget(context, shown, name),
    onListed,
  });
}

function show(
  context: ProgressContext,
  shown: Map<string, string>,
  { name, cluster }: { readonly name: string; readonly cluster: Unstructured },
): void {
  if (!passesWatchFilter(cluster, context.watchFilter)) {
    forget(context, shown, name);
    return;
  }
  context.onCluster?.(name, cluster);
  const view = viewCluster(cluster);
  const text = JSON.stringify(view);
  if (shown.get(name) !== text) {
    shown.set(name, text);
    context.onChange({ cluster: name, view });
  }
}

function forget(context: ProgressContext, shown: Map<string, string>, cluster: string): void {
  if (shown.delete(cluster)) {
    context.onCluster?.(cluster, undefined);
    context.onChange({ cluster, view: undefined });
  }
}
