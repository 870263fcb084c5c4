// All writes of a pass but those of the Cluster itself: in which order and on which conditions they are done, and what
// of them failed.
import { toAggregateText } from '../../api/aggregate-text.ts';
import type { ApiFailure, FailureReason } from '../../api/answer.ts';
import { type Intent, toDisplayName, toRef } from '../../api/object.ts';
import type { Action, Outcomes } from '../../kernel/types.ts';
import { toContractReference } from '../desired/clone.ts';
import type { Current } from '../model/current.ts';
import type { Desired } from '../model/desired.ts';
import { asFarAsPlanned, type Plan, type Step } from './step.ts';

export interface Changes {
  readonly shim: Plan;
  readonly infrastructureCluster: Plan;
  readonly controlPlane: Plan;
  /** MachineDeployments, then MachinePools: each created, updated, deleted. */
  readonly workers: readonly Plan[];
}

/** The Cluster's own patch, between control plane and workers; its `when` is added to that of the plan. */
export type ClusterPatch = Extract<Action, { do: 'patch' }>;

/** References as the Cluster holds them. */
export interface ClusterRefs {
  readonly infrastructureRef: ReturnType<typeof toContractReference>;
  /** Absent while there is no control plane that could be named. */
  readonly controlPlaneRef?: ReturnType<typeof toContractReference>;
}

/**
 * Every action in order; `clusterPatch` is undefined where the Cluster needs none. After one that failed, nothing follows but
 * what cleans up after it, and the Cluster's patch where only the control plane failed and infrastructure was created, which
 * would be lost else.
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

/** `controlPlaneRef` stays out while there is no control plane object: the Cluster would wait for one that never comes. */
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

/** What went wrong, as the condition tells it, without the words for the whole step. `undefined` when all went well. */
export function failureOf(
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
  const failure = failureAt(id, outcomes);
  return failure === undefined ? undefined : `failed to patch ${ref.kind} ${toDisplayName(ref)}: ${failure.message}`;
}

function mayNameObjects(changes: Changes, current: Current, outcomes: Outcomes): boolean {
  const isCreating = current.infrastructureCluster === undefined;
  return (
    firstProblem([changes.shim, changes.infrastructureCluster], outcomes) === undefined &&
    (isCreating || firstProblem([changes.controlPlane], outcomes) === undefined)
  );
}

/** No write was necessary, or it is done. */
function isMade({ steps, failure }: Plan, object: Intent, outcomes: Outcomes): boolean {
  const step = steps.find(({ action }) => action.do === 'apply' && isSame(action.object, object));
  return step === undefined ? failure === undefined : outcomes.get(step.action.id)?.state === 'done';
}

function isSame(one: Intent, other: Intent): boolean {
  return one.kind === other.kind && one.metadata.name === other.metadata.name;
}

/** In the order of the plans: a write that failed, or what kept a plan from being made. */
function firstProblem(plans: readonly Plan[], outcomes: Outcomes): string | undefined {
  return plans
    .flatMap(({ steps, failure }) => [...steps.map(step => problemOf(step, outcomes)), failure])
    .find(problem => problem !== undefined);
}

function problemOf({ action, toProblem }: Step, outcomes: Outcomes): string | undefined {
  const failure = failureAt(action.id, outcomes);
  return failure === undefined ? undefined : toProblem(failure);
}

function failureAt(id: string, outcomes: Outcomes): ApiFailure | undefined {
  const outcome = outcomes.get(id);
  return outcome?.state === 'failed' ? outcome.failure : undefined;
}

function idsOf(plans: readonly Plan[]): readonly string[] {
  return plans.flatMap(({ steps }) => steps.map(({ action }) => action.id));
}

function guarded(plans: readonly Plan[], before: readonly string[]): readonly Action[] {
  return plans.flatMap((plan, index) => {
    const earlier = [...before, ...idsOf(plans.slice(0, index))];
    return [
      ...plan.steps.map((step, at) => guard(step, [...earlier, ...idsOf([plan]).slice(0, at)])),
      ...cleanUps(plan),
    ];
  });
}

function guard({ action }: Step, earlier: readonly string[]): Action {
  return { ...action, when: outcomes => earlier.every(id => failureAt(id, outcomes) === undefined) };
}

/** Best effort, and only where it is sure that nothing came to refer to it. */
function cleanUps({ steps }: Plan): readonly Action[] {
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
          outcomes.get(action.id)?.state === 'done' && later.some(id => isRefused(failureAt(id, outcomes))),
      } satisfies Action,
    ];
  });
}

/**
 * What the API server does not accept from anybody. Any other failure may not be another pass's, which may have begun to use
 * the new object; the next try uses it, too.
 */
const refusals: ReadonlySet<FailureReason> = new Set(['Invalid', 'BadRequest', 'Forbidden', 'UnsupportedMediaType']);

function isRefused(failure: ApiFailure | undefined): boolean {
  return failure !== undefined && refusals.has(failure.reason);
}
