// Follows the Clusters and ExtensionConfigs of the API server and reports each visible change.

import {
  type Clock,
  toApiVersion,
  type Unstructured,
  type Watches,
  type WatchQuery,
} from '@capi-serverless/apimachinery';
import { type ClusterView, viewCluster } from '../../functions/cluster/why/cluster-view.ts';
import { type ExtensionView, viewExtension } from '../../functions/extensionconfig/explain.ts';
import { extensionConfigKind } from '../../shared/api/extension-config/kind.ts';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import { followKind } from './follow-kind.ts';

const clusters: WatchQuery = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', as: 'object' };
const { kind } = extensionConfigKind;
const extensions: WatchQuery = { apiVersion: toApiVersion(extensionConfigKind), kind, as: 'object' };

export interface ProgressChange<View> {
  readonly name: string;
  /** `undefined` if the object was deleted. */
  readonly view: View | undefined;
}

interface ProgressContext<View> {
  readonly watches: Watches;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Objects that the functions ignore are not reported. "" reports all objects. */
  readonly watchFilter: string;
  readonly onChange: (change: ProgressChange<View>) => void;
  /** Called for every version of every object, visible or not. `undefined` means that it was deleted. */
  readonly onObject?: (name: string, object: Unstructured | undefined) => void;
  /** Called after all existing objects were reported. */
  readonly onListed?: () => void;
}

/** Follows until `signal` aborts. A lost watch restarts with a list, after a second if the server refused it. */
export function followClusters(context: ProgressContext<ClusterView>): Promise<void> {
  return followViews({ ...context, query: clusters, toView: viewCluster });
}

/** Like `followClusters`. */
export function followExtensions(context: ProgressContext<ExtensionView>): Promise<void> {
  return followViews({ ...context, query: extensions, toView: viewExtension });
}

interface Following<View> extends ProgressContext<View> {
  readonly query: WatchQuery;
  readonly toView: (object: Unstructured) => View;
}

async function followViews<View>(context: Following<View>): Promise<void> {
  const shown = new Map<string, string>();
  const { query, watches, clock, signal, onListed } = context;
  await followKind({
    query,
    watches,
    clock,
    signal,
    onObject: (name, object) => show(context, shown, { name, object }),
    onGone: name => forget(context, shown, name),
    onListed: () => onListed?.(),
  });
}

function show<View>(
  context: Following<View>,
  shown: Map<string, string>,
  { name, object }: { readonly name: string; readonly object: Unstructured },
): void {
  if (!passesWatchFilter(object, context.watchFilter)) {
    forget(context, shown, name);
    return;
  }
  context.onObject?.(name, object);
  const view = context.toView(object);
  const text = JSON.stringify(view);
  if (shown.get(name) !== text) {
    shown.set(name, text);
    context.onChange({ name, view });
  }
}

function forget<View>(context: Following<View>, shown: Map<string, string>, name: string): void {
  if (shown.delete(name)) {
    context.onObject?.(name, undefined);
    context.onChange({ name, view: undefined });
  }
}
