// The result of observe for one topology: the input of decide and report.
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { AnnotationChange } from '../../shared/runtime-hooks/rules/annotations.ts';
import { afterClusterUpgrade } from '../../shared/runtime-hooks/rules/catalog.ts';
import type { HookResponses } from '../../shared/runtime-hooks/rules/hook.ts';
import type { ManagedFieldsRepair } from '../../shared/server-side-apply/managed-fields.ts';
import type { Changes } from './plan/changes/ordered-changes.ts';
import type { Current } from './plan/current/current-topology.ts';
import type { Desired } from './plan/desired/desired-topology.ts';
import { type HookState, isMarked, toBookkeeping } from './plan/upgrade/hook-state.ts';
import type { UpgradePlan } from './plan/upgrade/plan-check.ts';
import type { Versions } from './plan/upgrade/version-progress.ts';

/** The writes to the Cluster itself before all other writes of the pass. */
interface Bookkeeping {
  /** Hook annotations: the hooks that must still be called, their blocking time, and whether deletion may begin. */
  readonly annotations: AnnotationChange;
  /** `spec.topology` with variable defaults. Absent if no default was missing. */
  readonly topology?: unknown;
}

/** The desired state and the writes for it. */
export interface Planned {
  readonly current: Current;
  readonly desired: Desired;
  readonly changes: Changes;
}

export interface ObservedTopology {
  /** The Cluster at the start of the pass. */
  readonly cluster: Cluster;
  readonly bookkeeping: Bookkeeping;
  /** The reason why the pass ended early, as in the condition. */
  readonly failure?: string;
  /** The class has not been reconciled since its last change. Its next reconcile enqueues this Cluster. */
  readonly isClassBehind: boolean;
  readonly responses: HookResponses;
  readonly isAfterClusterUpgradePending: boolean;
  /** The exact time until the first blocking hook is called again. */
  readonly waitMs?: number;
  /** Undefined if no plan was made in this pass. */
  readonly plan?: UpgradePlan;
  /** Undefined if the pass ended before the versions were known. */
  readonly upgrade?: { readonly versions: Versions; readonly controlPlaneKind: string };
  /** If there are repairs, the pass makes no other write. */
  readonly repairs: readonly ManagedFieldsRepair[];
  readonly planned?: Planned;
}

/** The state at the start of a pass, before any read. */
export function begin(cluster: Cluster): ObservedTopology {
  return {
    cluster,
    bookkeeping: { annotations: {} },
    isClassBehind: false,
    responses: new Map(),
    isAfterClusterUpgradePending: false,
    repairs: [],
  };
}

/** Adds the answers of hooks in this pass. 'whole': the pass continues to write objects. */
export function withHookState(
  seen: ObservedTopology,
  hookState: HookState,
  extent: 'whole' | 'withoutStart',
): ObservedTopology {
  const waits = [...hookState.waitsMs.values()].filter(waitMs => waitMs > 0);
  return {
    ...seen,
    bookkeeping: { ...seen.bookkeeping, annotations: toBookkeeping(hookState, extent) },
    responses: hookState.responses,
    isAfterClusterUpgradePending: isMarked(hookState, afterClusterUpgrade),
    ...(waits.length === 0 ? {} : { waitMs: Math.min(...waits) }),
  };
}
