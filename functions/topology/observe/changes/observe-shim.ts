// Plans the writes for the shim. Reads its metadata if the shim is required or can be deleted.
import type { Reads } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { type PlannedShim, planShim, shimNeed } from '../../plan/changes/shim-change.ts';
import { nothingToDo } from '../../plan/changes/step.ts';
import type { Current } from '../../plan/current/current-topology.ts';

export async function observeShim(
  cluster: Cluster,
  current: Current,
  ask: Pick<Reads, 'metadata'>,
): Promise<PlannedShim> {
  const need = shimNeed(cluster, current);
  return need.state === 'none' ? { plan: nothingToDo } : planShim(cluster, need, await ask.metadata(need.ref));
}
