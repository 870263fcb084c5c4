// The hooks of a topology outside its upgrade steps: when they are due, and the effect of their answers.

import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { type Cluster, isDefined } from '../../../../shared/api/cluster/reader.ts';
import type { AnnotationChange, Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import {
  afterClusterUpgrade,
  afterControlPlaneInitialized,
  beforeClusterCreate,
  beforeClusterDelete,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookResponses } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { isOkToDelete, markOkToDelete } from '../../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { type HookState, isBlocking, isMarked, toBookkeeping, withMarks, withoutMarks } from './hook-state.ts';

/** A Cluster that references neither infrastructure nor control plane has no topology yet. */
export function isNewTopology({ spec }: Cluster): boolean {
  return !isDefined(spec.infrastructureRef) && !isDefined(spec.controlPlaneRef);
}

/** How long BeforeClusterCreate blocks, in milliseconds; undefined: it does not block, and the topology may be created. */
export function creationWaitMs(hookState: HookState): number | undefined {
  return isBlocking(hookState, beforeClusterCreate) ? hookState.waitsMs.get(beforeClusterCreate.name) : undefined;
}

/** Whether BeforeClusterDelete must still be called. */
export function isDeletionHookDue({ metadata }: Cluster): boolean {
  return !isOkToDelete(metadata.annotations);
}

export interface DeletionApproval {
  /** The annotations to write on the Cluster; its own reconciler waits for the approval among them. */
  readonly change: AnnotationChange;
  readonly responses: HookResponses;
  /** Exactly how long the hook blocks; undefined: it does not block. */
  readonly waitMs: number | undefined;
}

/** No hook is due. */
export const approvedDeletion: DeletionApproval = { change: {}, responses: new Map(), waitMs: undefined };

/** `hookState`: with the answer of BeforeClusterDelete. */
export function toDeletionApproval(annotations: Annotations, hookState: HookState): DeletionApproval {
  const isHeld = isBlocking(hookState, beforeClusterDelete);
  return {
    change: { ...toBookkeeping(hookState, 'whole'), ...(isHeld ? {} : markOkToDelete(annotations)) },
    responses: hookState.responses,
    waitMs: isHeld ? hookState.waitsMs.get(beforeClusterDelete.name) : undefined,
  };
}

/** AfterControlPlaneInitialized is marked from the first pass of a topology on. */
export function markInitialization(cluster: Cluster, hookState: HookState): HookState {
  return isNewTopology(cluster) ? withMarks(hookState, afterControlPlaneInitialized) : hookState;
}

export function isInitializationHookDue({ status }: Cluster, hookState: HookState): boolean {
  return isMarked(hookState, afterControlPlaneInitialized) && isTrue(status.conditions, 'ControlPlaneInitialized');
}

export function withoutInitialization(hookState: HookState): HookState {
  return withoutMarks(hookState, afterControlPlaneInitialized);
}

/** `hookState`: with the answer of AfterClusterUpgrade, which stays marked while it blocks. */
export function finishUpgradeHook(hookState: HookState): HookState {
  return isBlocking(hookState, afterClusterUpgrade) ? hookState : withoutMarks(hookState, afterClusterUpgrade);
}
