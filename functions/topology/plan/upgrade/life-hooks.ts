// The hooks of a topology that are not part of upgrade steps: when they are called, and the effect of their answers.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import { type Cluster, isDefined } from '../../../../shared/api/cluster/reader.ts';
import type { AnnotationChange } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import {
  afterClusterUpgrade,
  afterControlPlaneInitialized,
  afterControlPlaneUpgrade,
  afterWorkersUpgrade,
  beforeClusterCreate,
  beforeClusterDelete,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookResponses } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { isOkToDelete, markOkToDelete } from '../../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { callHook, type HookQuestion, type NotifyQuestion } from '../questions.ts';
import {
  type HookState,
  isBlocking,
  isMarked,
  readHookState,
  toBookkeeping,
  withMarks,
  withoutMarks,
} from './hook-state.ts';
import type { Versions } from './version-progress.ts';
import { isStable } from './worker-versions.ts';

/** A Cluster without references to infrastructure and control plane has no topology objects yet. */
export function isNewTopology({ spec }: Cluster): boolean {
  return !isDefined(spec.infrastructureRef) && !isDefined(spec.controlPlaneRef);
}

export interface CreationApproval {
  readonly hookState: HookState;
  /**
   * The remaining time for which the hook blocks. Undefined means that the topology may be created. Otherwise nothing
   * is created.
   */
  readonly waitMs: number | undefined;
}

/** BeforeClusterCreate is not called for a Cluster that already references its infrastructure or its control plane. */
export function* approveCreation(
  cluster: Cluster,
  hookState: HookState,
): AskingPlan<HookQuestion, Checked<CreationApproval>> {
  if (!isNewTopology(cluster)) {
    return valid({ hookState, waitMs: undefined });
  }
  const called = yield* callHook(beforeClusterCreate, {}, hookState);
  return valid({ hookState: called, waitMs: blockedMs(called, beforeClusterCreate) });
}

export interface DeletionApproval {
  /**
   * The annotations to write to the Cluster. The Cluster reconciler waits for the annotation that approves the
   * deletion.
   */
  readonly change: AnnotationChange;
  readonly responses: HookResponses;
  /** The exact time for which the hook blocks. Undefined means that it does not block. */
  readonly waitMs: number | undefined;
}

/** The approval if no hook must be called. */
export const approvedDeletion: DeletionApproval = { change: {}, responses: new Map(), waitMs: undefined };

/** BeforeClusterDelete is called until it has approved the deletion. */
export function* approveDeletion({ metadata }: Cluster): AskingPlan<HookQuestion, Checked<DeletionApproval>> {
  const { annotations } = metadata;
  if (isOkToDelete(annotations)) {
    return valid(approvedDeletion);
  }
  const called = yield* callHook(beforeClusterDelete, {}, readHookState(annotations));
  const approval = isBlocking(called, beforeClusterDelete) ? {} : markOkToDelete(annotations);
  return valid({
    change: { ...toBookkeeping(called, 'whole'), ...approval },
    responses: called.responses,
    waitMs: blockedMs(called, beforeClusterDelete),
  });
}

function blockedMs(hookState: HookState, hook: { readonly name: string }): number | undefined {
  return isBlocking(hookState, hook) ? hookState.waitsMs.get(hook.name) : undefined;
}

export interface AfterHooksInput {
  readonly cluster: Cluster;
  readonly versions: Versions;
  readonly topologyVersion: string;
  readonly hookState: HookState;
}

/** `hookState` contains the answer of the first hook even if the second call failed. */
export interface AfterHooks {
  readonly hookState: HookState;
  readonly failure: string | undefined;
}

/** AfterControlPlaneInitialized, then AfterClusterUpgrade. The second one stays marked while it blocks. */
export function* callAfterHooks(input: AfterHooksInput): AskingPlan<NotifyQuestion | HookQuestion, AfterHooks> {
  const { versions, topologyVersion: kubernetesVersion } = input;
  const initialized = yield* callAfterInitialization(input);
  if (!initialized.ok) {
    return { hookState: input.hookState, failure: initialized.error };
  }
  const hookState = initialized.value;
  if (!isClusterUpgraded(versions, hookState)) {
    return { hookState, failure: undefined };
  }
  const called = yield* callHook(afterClusterUpgrade, { kubernetesVersion }, hookState);
  const isDone = !isBlocking(called, afterClusterUpgrade);
  return { hookState: isDone ? withoutMarks(called, afterClusterUpgrade) : called, failure: undefined };
}

/** The hook is marked since the first pass over a topology. It never blocks. */
function* callAfterInitialization({
  cluster,
  hookState,
}: AfterHooksInput): AskingPlan<NotifyQuestion, Checked<HookState>> {
  const hook = afterControlPlaneInitialized;
  const marked = isNewTopology(cluster) ? withMarks(hookState, hook) : hookState;
  if (!isMarked(marked, hook) || !isTrue(cluster.status.conditions, 'ControlPlaneInitialized')) {
    return valid(marked);
  }
  return mapChecked(yield* ask<NotifyQuestion>('notify', hook), () => withoutMarks(marked, hook));
}

/** All parts have their target version, and the hooks of the last step were called. */
export function isClusterUpgraded(
  { controlPlane, machineDeployments, machinePools }: Versions,
  hookState: HookState,
): boolean {
  const isOver = [machineDeployments, machinePools].every(
    ({ upgrading, pendingUpgrade, deferredUpgrade, pendingCreate }) =>
      upgrading.size + pendingUpgrade.size + deferredUpgrade.size + pendingCreate.size === 0,
  );
  return (
    isMarked(hookState, afterClusterUpgrade) &&
    !isMarked(hookState, afterControlPlaneUpgrade) &&
    !isMarked(hookState, afterWorkersUpgrade) &&
    isStable(controlPlane) &&
    isOver
  );
}
