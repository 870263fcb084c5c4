// BeforeClusterCreate: blocks the creation of the first object of a topology.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { beforeClusterCreate } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookState } from '../../plan/upgrade/hook-state.ts';
import { creationWaitMs, isNewTopology } from '../../plan/upgrade/life-hooks.ts';
import { askHook, type TopologyHooks } from './topology-hooks.ts';

export interface CreationApproval {
  readonly hookState: HookState;
  /** Undefined: the topology may be created. Otherwise nothing is created; this is exactly how long the hook blocks. */
  readonly waitMs: number | undefined;
}

/** No hook is called for a Cluster that already names its infrastructure or its control plane. */
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
