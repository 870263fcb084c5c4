// All writes of a pass except the patch of the Cluster: their order, their conditions, and the failed writes.

import {
  type ApiFailure,
  type FailureReason,
  type Intent,
  toAggregateText,
  toDisplayName,
  toRef,
} from '@capi-serverless/apimachinery';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { Current } from '../current/current-topology.ts';
import { toContractReference } from '../desired/clone.ts';
import type { Desired } from '../desired/desired-topology.ts';
import { asFarAsPlanned, type PlannedWrites, type PlanStep } from './step.ts';

export interface Changes {
  readonly shim: PlannedWrites;
  readonly infrastructureCluster: PlannedWrites;
  readonly controlPlane: PlannedWrites;
  /** MachineDeployments, then MachinePools. For each kind: creates, updates, deletes. */
  readonly workers: readonly PlannedWrites[];
}

/** The patch of the Cluster, between control plane and workers. Its `when` is added to the condition of the plan. */
export type ClusterPatch = Extract<Action, { do: 'patch' }>;

/** References in the form that the Cluster stores. */
interface ClusterRefs {
  readonly infrastructureRef: ReturnType<typeof toContractReference>;
  /** Absent until a control plane object exists. */
  readonly controlPlaneRef?: ReturnType<typeof toContractReference>;
}

/**
 * Returns every action in order. `clusterPatch` is undefined if the Cluster needs no patch. After a failed action, only
 * its cleanup follows. Exception: if only the control plane failed and infrastructure was created, the Cluster is
 * patched. Otherwise the reference to this infrastructure would be lost.
 */
export function toActions(
  changes: Changes,
  current: Current,
  clusterPatch: ClusterPatch | undefined,
): readonly Action[] {
  const core = asFarAsPlanned([changes.shim, changes.infrastructureCluster, changes.controlPlane]);
  const patches = clusterPatch === undefined ? [] : [guardPatch(clusterPatch, changes, current)];
  const isPlanned = core.at(-1)?.failure === undefined;
  const workers = isPlanned ? asFarAsPlanned(changes.workers) : [];
  const before = [...idsOf(core), ...patches.map(({ id }) => id)];
  return [...guarded(core, []), ...patches, ...guarded(workers, before)];
}

function guardPatch(patch: ClusterPatch, changes: Changes, current: Current): Action {
  return {
    ...patch,
    onError: 'continue',
    when: outcomes => mayNameObjects(changes, current, outcomes) && patch.when?.(outcomes) !== false,
  };
}

/**
 * Without a control plane object, `controlPlaneRef` is omitted. Otherwise the Cluster would wait for an object that is
 * never created.
 */
export function toClusterRefs(
  { desired, current, changes }: { readonly desired: Desired; readonly current: Current; readonly changes: Changes },
  outcomes: Outcomes,
): ClusterRefs {
  const infrastructureRef = toContractReference(desired.infrastructureCluster);
  const isThere =
    current.controlPlane.object !== undefined || isMade(changes.controlPlane, desired.controlPlane.object, outcomes);
  return {
    infrastructureRef,
    ...(isThere ? { controlPlaneRef: toContractReference(desired.controlPlane.object) } : {}),
  };
}

/** Returns the failure as in the condition, or undefined if there is none. The caller adds the prefix of the step. */
export function problemOfChanges(
  changes: Changes,
  outcomes: Outcomes,
  clusterPatch: Pick<ClusterPatch, 'id' | 'ref'> | undefined,
): string | undefined {
  const early = firstProblem([changes.shim, changes.infrastructureCluster], outcomes);
  if (early !== undefined) {
    return early;
  }
  const controlPlane = firstProblem([changes.controlPlane], outcomes);
  const cluster = clusterPatch === undefined ? undefined : patchProblem(clusterPatch, outcomes);
  const both = [controlPlane, cluster].filter(error => error !== undefined);
  return both.length > 0 ? toAggregateText(both) : firstProblem(changes.workers, outcomes);
}

function patchProblem({ id, ref }: Pick<ClusterPatch, 'id' | 'ref'>, outcomes: Outcomes): string | undefined {
  const failure = failureOf(outcomes, id);
  return failure === undefined ? undefined : `failed to patch ${ref.kind} ${toDisplayName(ref)}: ${failure.message}`;
}

function mayNameObjects(changes: Changes, current: Current, outcomes: Outcomes): boolean {
  const isCreating = current.infrastructureCluster === undefined;
  return (
    firstProblem([changes.shim, changes.infrastructureCluster], outcomes) === undefined &&
    (isCreating || firstProblem([changes.controlPlane], outcomes) === undefined)
  );
}

/** Returns true if no write was necessary or the write succeeded. */
function isMade({ steps, failure }: PlannedWrites, object: Intent, outcomes: Outcomes): boolean {
  const step = steps.find(({ action }) => action.do === 'apply' && isSame(action.object, object));
  return step === undefined ? failure === undefined : outcomes.get(step.action.id)?.state === 'done';
}

function isSame(one: Intent, other: Intent): boolean {
  return one.kind === other.kind && one.metadata.name === other.metadata.name;
}

/** Returns the first problem in the order of the plans: a failed write, or the error that stopped a plan. */
function firstProblem(plans: readonly PlannedWrites[], outcomes: Outcomes): string | undefined {
  return plans
    .flatMap(({ steps, failure }) => [...steps.map(step => problemOf(step, outcomes)), failure])
    .find(problem => problem !== undefined);
}

function problemOf({ action, toProblem }: PlanStep, outcomes: Outcomes): string | undefined {
  const failure = failureOf(outcomes, action.id);
  return failure === undefined ? undefined : toProblem(failure);
}

function idsOf(plans: readonly PlannedWrites[]): readonly string[] {
  return plans.flatMap(({ steps }) => steps.map(({ action }) => action.id));
}

function guarded(plans: readonly PlannedWrites[], before: readonly string[]): readonly Action[] {
  return plans.flatMap((plan, index) => {
    const earlier = [...before, ...idsOf(plans.slice(0, index))];
    return [
      ...plan.steps.map((step, at) => guard(step, [...earlier, ...idsOf([plan]).slice(0, at)])),
      ...cleanUps(plan),
    ];
  });
}

function guard({ action }: PlanStep, earlier: readonly string[]): Action {
  return { ...action, when: outcomes => earlier.every(id => failureOf(outcomes, id) === undefined) };
}

/** Cleans up on a best-effort basis, and only if no object can reference the new object. */
function cleanUps({ steps }: PlannedWrites): readonly Action[] {
  return steps.flatMap(({ action, isDisposable }, index) => {
    if (isDisposable !== true || action.do !== 'apply') {
      return [];
    }
    const referrer = steps.findIndex(step => step.isReferrer === true);
    const later = steps.slice(index + 1, referrer + 1).map(step => step.action.id);
    const { apiVersion, kind, metadata } = action.object;
    return [
      {
        id: `take back ${action.id}`,
        onError: 'continue',
        do: 'delete',
        ref: toRef({ apiVersion, kind, metadata: { uid: '', resourceVersion: '', ...metadata } }),
        uid: { uidOf: action.id },
        when: outcomes =>
          outcomes.get(action.id)?.state === 'done' && later.some(id => isRefused(failureOf(outcomes, id))),
      } satisfies Action,
    ];
  });
}

/**
 * Failures that the API server returns in every pass. Other failures may not occur in a concurrent pass, which may
 * already use the new object. The retry also uses this object.
 */
const refusals: ReadonlySet<FailureReason> = new Set(['Invalid', 'BadRequest', 'Forbidden', 'UnsupportedMediaType']);

function isRefused(failure: ApiFailure | undefined): boolean {
  return failure !== undefined && refusals.has(failure.reason);
}
