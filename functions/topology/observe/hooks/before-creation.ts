// Calls BeforeClusterCreate, which can block the creation of a topology.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { beforeClusterCreate } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookState } from '../../plan/upgrade/hook-state.ts';
import { creationWaitMs, isNewTopology } from '../../plan/upgrade/life-hooks.ts';
import { askHook, type TopologyHooks } from './topology-hooks.ts';

interface CreationApproval {
  readonly hookState: HookState;
  /**
   * The remaining time for which the hook blocks. Undefined means that the topology may be created. Otherwise nothing
   * is created.
   */
  readonly waitMs: number | undefined;
}

/** The hook is not called for a Cluster that already references its infrastructure or its control plane. */
export async function askBeforeCreation(
  cluster: Cluster,
  hookState: HookState,
  hooks: TopologyHooks | undefined,
): Promise<Checked<CreationApproval>> {
  if (hooks === undefined || !isNewTopology(cluster)) {
    return valid({ hookState, waitMs: undefined });
  }
  const asked = await askHook(hooks, beforeClusterCreate, { request: { cluster: hooks.cluster }, hookState });
  return mapChecked(asked, written => ({ hookState: written, waitMs: creationWaitMs(written) }));
}
