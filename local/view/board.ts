// The state of each Cluster and ExtensionConfig, and whether the expected ones are ready.

import type { ClusterView } from '../../functions/cluster/why/cluster-view.ts';
import type { ExtensionView } from '../../functions/extensionconfig/explain.ts';

export interface Board {
  /** Returns `undefined` if the Cluster was deleted. */
  set(cluster: string, view: ClusterView | undefined): void;
  setExtension(name: string, view: ExtensionView | undefined): void;
  isReady(): boolean;
  /** The objects that are not ready, with the reason for each. */
  missing(): readonly Missing[];
}

export type Missing = ({ readonly cluster: string } | { readonly extension: string }) & { readonly waitingFor: string };

export interface Expectations {
  readonly clusters: readonly string[];
  readonly extensions: readonly string[];
}

/** Without expectations, every observed Cluster is expected, and at least one must exist. */
export function createBoard(expected: Expectations): Board {
  const clusters = new Map<string, ClusterView>();
  const extensions = new Map<string, ExtensionView>();
  const hasExpectations = expected.clusters.length + expected.extensions.length > 0;
  const counted = (): readonly string[] => (hasExpectations ? expected.clusters : [...clusters.keys()]);
  const unprovisioned = (): readonly string[] => counted().filter(name => clusters.get(name)?.provisioned !== true);
  const undiscovered = (): readonly string[] =>
    expected.extensions.filter(name => extensions.get(name)?.discovered !== true);
  return {
    set: (name, view) => put(clusters, name, view),
    setExtension: (name, view) => put(extensions, name, view),
    isReady: () =>
      (hasExpectations || clusters.size > 0) && unprovisioned().length === 0 && undiscovered().length === 0,
    missing: () => [
      ...undiscovered().map(name => ({
        extension: name,
        waitingFor: extensions.get(name)?.waitingFor ?? 'the ExtensionConfig to exist',
      })),
      ...unprovisioned().map(name => ({ cluster: name, waitingFor: toWaiting(clusters.get(name)) })),
    ],
  };
}

function put<View>(views: Map<string, View>, name: string, view: View | undefined): void {
  if (view === undefined) {
    views.delete(name);
  } else {
    views.set(name, view);
  }
}

function toWaiting(view: ClusterView | undefined): string {
  if (view === undefined) {
    return 'the Cluster to exist';
  }
  return view.waitingFor === '' ? `phase ${view.phase} to become Provisioned` : view.waitingFor;
}
