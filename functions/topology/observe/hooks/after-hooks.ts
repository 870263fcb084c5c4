// Calls AfterControlPlaneInitialized when the control plane is initialized, and AfterClusterUpgrade after an upgrade.
import { type Checked, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { afterClusterUpgrade, afterControlPlaneInitialized } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { isClusterUpgraded } from '../../plan/upgrade/cluster-upgraded.ts';
import type { HookState } from '../../plan/upgrade/hook-state.ts';
import {
  finishUpgradeHook,
  isInitializationHookDue,
  markInitialization,
  withoutInitialization,
} from '../../plan/upgrade/life-hooks.ts';
import type { Versions } from '../../plan/upgrade/version-progress.ts';
import { askHook, type TopologyHooks } from './topology-hooks.ts';

interface AfterHooksInput {
  readonly cluster: Cluster;
  readonly versions: Versions;
  readonly topologyVersion: string;
  readonly hookState: HookState;
}

/** `hookState` contains the answer of the first hook even if the second call failed. */
interface AfterHooks {
  readonly hookState: HookState;
  readonly failure: string | undefined;
}

/** Must be called after the whole desired state is computed, and before any write. */
export async function askAfterHooks(input: AfterHooksInput, hooks: TopologyHooks | undefined): Promise<AfterHooks> {
  if (hooks === undefined) {
    return { hookState: input.hookState, failure: undefined };
  }
  const initialized = await askAfterInitialization(input, hooks);
  if (!initialized.ok) {
    return { hookState: input.hookState, failure: initialized.error };
  }
  const upgraded = await askAfterUpgrade({ ...input, hookState: initialized.value }, hooks);
  return upgraded.ok
    ? { hookState: upgraded.value, failure: undefined }
    : { hookState: initialized.value, failure: upgraded.error };
}

/** This hook never blocks. */
async function askAfterInitialization(
  { cluster, hookState }: AfterHooksInput,
  hooks: TopologyHooks,
): Promise<Checked<HookState>> {
  const marked = markInitialization(cluster, hookState);
  if (!isInitializationHookDue(cluster, marked)) {
    return valid(marked);
  }
  const request = { cluster: hooks.cluster };
  const answer = await hooks.calls.callAll(afterControlPlaneInitialized, { object: hooks.cluster.metadata, request });
  return answer.ok ? valid(withoutInitialization(marked)) : invalid(answer.error);
}

async function askAfterUpgrade(
  { versions, topologyVersion, hookState }: AfterHooksInput,
  hooks: TopologyHooks,
): Promise<Checked<HookState>> {
  if (!isClusterUpgraded(versions, hookState)) {
    return valid(hookState);
  }
  const request = { cluster: hooks.cluster, kubernetesVersion: topologyVersion };
  return mapChecked(await askHook(hooks, afterClusterUpgrade, { request, hookState }), finishUpgradeHook);
}
