// The hooks that follow what was done before: AfterControlPlaneInitialized and AfterClusterUpgrade.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { isTrue } from '../../../shared/conditions/get.ts';
import { afterClusterUpgrade, afterControlPlaneInitialized } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Versions } from '../../../shared/topology/model/versions.ts';
import { isClusterUpgraded } from '../../../shared/topology/upgrade/cluster-upgraded.ts';
import {
  type HookBook,
  isBlocking,
  isMarked,
  withMarks,
  withoutMarks,
} from '../../../shared/topology/upgrade/hook-book.ts';
import { askHook, type TopologyHooks } from './hooks.ts';

export interface AfterHooksInput {
  readonly cluster: Cluster;
  readonly versions: Versions;
  readonly topologyVersion: string;
  readonly book: HookBook;
}

/** `book`: what was written, also where the second call failed after the first. */
export interface AfterHooks {
  readonly book: HookBook;
  readonly failure: string | undefined;
}

/** To be called when the whole desired state is known and before anything is written. */
export async function askAfterHooks(input: AfterHooksInput, hooks: TopologyHooks | undefined): Promise<AfterHooks> {
  if (hooks === undefined) {
    return { book: input.book, failure: undefined };
  }
  const initialized = await askAfterInitialization(input, hooks);
  if (!initialized.ok) {
    return { book: input.book, failure: initialized.error };
  }
  const upgraded = await askAfterUpgrade({ ...input, book: initialized.value }, hooks);
  return upgraded.ok
    ? { book: upgraded.value, failure: undefined }
    : { book: initialized.value, failure: upgraded.error };
}

/** Owed from the first pass of a topology on. It cannot hold anything up. */
async function askAfterInitialization(
  { cluster, book }: AfterHooksInput,
  hooks: TopologyHooks,
): Promise<Checked<HookBook>> {
  const { spec, status } = cluster;
  const isNew = !isDefined(spec.infrastructureRef) && !isDefined(spec.controlPlaneRef);
  const owing = isNew ? withMarks(book, afterControlPlaneInitialized) : book;
  if (!isMarked(owing, afterControlPlaneInitialized) || !isTrue(status.conditions, 'ControlPlaneInitialized')) {
    return valid(owing);
  }
  const request = { cluster: hooks.cluster };
  const answer = await hooks.calls.callAll(afterControlPlaneInitialized, { object: hooks.cluster.metadata, request });
  return answer.ok ? valid(withoutMarks(owing, afterControlPlaneInitialized)) : invalid(answer.error);
}

async function askAfterUpgrade(
  { versions, topologyVersion, book }: AfterHooksInput,
  hooks: TopologyHooks,
): Promise<Checked<HookBook>> {
  if (!isClusterUpgraded(versions, book)) {
    return valid(book);
  }
  const request = { cluster: hooks.cluster, kubernetesVersion: topologyVersion };
  const asked = await askHook(hooks, afterClusterUpgrade, { request, book });
  return asked.ok && !isBlocking(asked.value, afterClusterUpgrade)
    ? valid(withoutMarks(asked.value, afterClusterUpgrade))
    : asked;
}
