// Calls BeforeClusterDelete, which can block the deletion of a Cluster with a topology.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { beforeClusterDelete } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { readHookState } from '../../plan/upgrade/hook-state.ts';
import {
  approvedDeletion,
  type DeletionApproval,
  isDeletionHookDue,
  toDeletionApproval,
} from '../../plan/upgrade/life-hooks.ts';
import { askHook, type TopologyHooks } from './topology-hooks.ts';

/** Does nothing if the Cluster has no hooks. */
export async function askBeforeDeletion(
  cluster: Cluster,
  hooks: TopologyHooks | undefined,
): Promise<Checked<DeletionApproval>> {
  if (hooks === undefined || !isDeletionHookDue(cluster)) {
    return valid(approvedDeletion);
  }
  const { annotations } = cluster.metadata;
  const request = { cluster: hooks.cluster };
  const asked = await askHook(hooks, beforeClusterDelete, { request, hookState: readHookState(annotations) });
  return mapChecked(asked, hookState => toDeletionApproval(annotations, hookState));
}
