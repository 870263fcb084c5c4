// Keeps what is known of each Cluster and tells whether those wished for are ready.
import type { ClusterView } from './waiting.ts';

export interface Board {
  /** `undefined`: the Cluster is gone. */
  set(cluster: string, view: ClusterView | undefined): void;
  isReady(): boolean;
  /** Those that are not Provisioned, and what each waits for. */
  missing(): readonly { readonly cluster: string; readonly waitingFor: string }[];
}

/** Without wishes every Cluster seen counts, and at least one must have been seen. */
export function createBoard(wished: readonly string[]): Board {
  const views = new Map<string, ClusterView>();
  const counted = (): readonly string[] => (wished.length > 0 ? wished : [...views.keys()]);
  const isProvisioned = (cluster: string): boolean => views.get(cluster)?.provisioned === true;
  return {
    set(cluster, view) {
      if (view === undefined) {
        views.delete(cluster);
      } else {
        views.set(cluster, view);
      }
    },
    isReady: () => counted().length > 0 && counted().every(isProvisioned),
    missing: () =>
      counted()
        .filter(cluster => !isProvisioned(cluster))
        .map(cluster => ({ cluster, waitingFor: toWaiting(views.get(cluster)) })),
  };
}

function toWaiting(view: ClusterView | undefined): string {
  if (view === undefined) {
    return 'the Cluster to exist';
  }
  return view.waitingFor === '' ? `phase ${view.phase} to become Provisioned` : view.waitingFor;
}
