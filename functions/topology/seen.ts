// What observe knows of one topology: everything that decide and report conclude from.
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { AnnotationChange } from '../../shared/runtime-hooks/rules/annotations.ts';
import type { Changes } from '../../shared/topology/changes/changes.ts';
import type { ManagedFieldsRepair } from '../../shared/topology/managed-fields.ts';
import type { Current } from '../../shared/topology/model/current.ts';
import type { Desired } from '../../shared/topology/model/desired.ts';
import type { HookResponses, Versions } from '../../shared/topology/model/versions.ts';
import type { UpgradePlan } from '../../shared/topology/upgrade/plan-check.ts';

/** What the pass owes to the Cluster itself before it writes anything else. */
export interface Bookkeeping {
  /** Of hooks: which are still to be called, since when they ask to be left alone, and whether deletion may begin. */
  readonly annotations: AnnotationChange;
  /** `spec.topology` with the defaults of variables; absent where none was missing. */
  readonly topology?: unknown;
}

/** Everything is known: what shall be, and how it comes to be. */
export interface Planned {
  readonly current: Current;
  readonly desired: Desired;
  readonly changes: Changes;
}

export interface Seen {
  /** As it was when the pass began. */
  readonly cluster: Cluster;
  readonly bookkeeping: Bookkeeping;
  /** Why nothing more could be found out; whole, as the condition tells it. */
  readonly failure?: string;
  /** The class's own reconciler has something to look at still, and that wakes this one. */
  readonly isClassBehind: boolean;
  readonly responses: HookResponses;
  readonly isAfterClusterUpgradePending: boolean;
  /** The exact time until the first of the blocking hooks is called again. */
  readonly waitMs?: number;
  /** Undefined: no plan was made in this pass. */
  readonly plan?: UpgradePlan;
  /** Undefined: the pass ended before anybody knew. */
  readonly upgrade?: { readonly versions: Versions; readonly controlPlaneKind: string };
  /** Where there are any, nothing else is done in this pass. */
  readonly repairs: readonly ManagedFieldsRepair[];
  readonly planned?: Planned;
}

/** How the pass began: nothing known yet. */
export function begin(cluster: Cluster): Seen {
  return {
    cluster,
    bookkeeping: { annotations: {} },
    isClassBehind: false,
    responses: new Map(),
    isAfterClusterUpgradePending: false,
    repairs: [],
  };
}
