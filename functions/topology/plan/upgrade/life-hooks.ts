// The hooks of a topology that are not part of upgrade steps: when they are called, and the effect of their answers.

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

/** A Cluster without references to infrastructure and control plane has no topology objects yet. */
export function isNewTopology({ spec }: Cluster): boolean {
  return !isDefined(spec.infrastructureRef) && !isDefined(spec.controlPlaneRef);
}

/**
 * Returns the milliseconds for which BeforeClusterCreate blocks. Undefined means that it does not block and the
 * topology may be created.
 */
export function creationWaitMs(hookState: HookState): number | undefined {
  return isBlocking(hookState, beforeClusterCreate) ? hookState.waitsMs.get(beforeClusterCreate.name) : undefined;
}

/** Returns true if BeforeClusterDelete must still be called. */
export function isDeletionHookDue({ metadata }: Cluster): boolean {
  return !isOkToDelete(metadata.annotations);
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

/** `hookState` contains the answer of BeforeClusterDelete. */
export function toDeletionApproval(annotations: Annotations, hookState: HookState): DeletionApproval {
  const isHeld = isBlocking(hookState, beforeClusterDelete);
  return {
    change: { ...toBookkeeping(hookState, 'whole'), ...(isHeld ? {} : markOkToDelete(annotations)) },
    responses: hookState.responses,
    waitMs: isHeld ? hookState.waitsMs.get(beforeClusterDelete.name) : undefined,
  };
}

/** AfterControlPlaneInitialized is marked since the first pass over a topology. */
export function markInitialization(cluster: Cluster, hookState: HookState): HookState {
  return isNewTopology(cluster) ? withMarks(hookState, afterControlPlaneInitialized) : hookState;
}

export function isInitializationHookDue({ status }: Cluster, hookState: HookState): boolean {
  return isMarked(hookState, afterControlPlaneInitialized) && isTrue(status.conditions, 'ControlPlaneInitialized');
}

export function withoutInitialization(hookState: HookState): HookState {
  return withoutMarks(hookState, afterControlPlaneInitialized);
}

/** `hookState` contains the answer of AfterClusterUpgrade. The hook stays marked while it blocks. */
export function finishUpgradeHook(hookState: HookState): HookState {
  return isBlocking(hookState, afterClusterUpgrade) ? hookState : withoutMarks(hookState, afterClusterUpgrade);
}
