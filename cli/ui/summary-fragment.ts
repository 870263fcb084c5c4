// The first line of the page: how many Clusters there are, and how many wait. Pure.
import { viewCluster } from '../../functions/cluster/why/cluster-view.ts';
import type { ClusterSnapshot } from '../../functions/cluster/why/snapshot.ts';
import { html } from './html.ts';

export const summaryId = 'summary';

export function toSummaryFragment(server: string, snapshots: readonly ClusterSnapshot[]): string {
  const waiting = snapshots.filter(({ cluster }) => viewCluster(cluster).waitingFor !== '').length;
  const clusters = `${snapshots.length} ${snapshots.length === 1 ? 'Cluster' : 'Clusters'}`;
  const text = waiting === 0 ? `${clusters}, nothing waits` : `${clusters}, ${waiting} waiting`;
  return html`<p id="${summaryId}" role="status">${text} <span class="detail">on ${server}</span></p>`.toString();
}
