// The report of one pass over a topology: TopologyReconciled in both families, the upgrade plan, and the time of the
// next reconcile.
import { type Instant, type JsonObject, toDisplayName, toRecord, toRef } from '@capi-serverless/apimachinery';
import { setCondition, setV1Beta1Condition } from '@capi-serverless/cluster-api/conditions';
import type { Outcomes, Report, Result } from '@capi-serverless/reconciler';
import { topologyReconciled } from './conditions/topology-reconciled.ts';
import { bookkeepingId, clusterId } from './decide.ts';
import { problemOfChanges } from './plan/changes/ordered-changes.ts';
import type { UpgradePlan } from './plan/upgrade/plan-check.ts';
import type { ObservedTopology } from './seen.ts';

/** Repaired objects are read again after this time. */
const repairMs = 1000;

export function report(seen: ObservedTopology, outcomes: Outcomes, now: Instant): Report {
  const error = seen.failure ?? failureOfWrites(seen, outcomes);
  return {
    status: { status: toStatus(seen, { error, outcomes, now }) },
    events: [],
    result: toResult(seen, error),
  };
}

function failureOfWrites({ cluster, planned }: ObservedTopology, outcomes: Outcomes): string | undefined {
  const bookkeeping = outcomes.get(bookkeepingId);
  const name = toDisplayName(cluster.metadata);
  if (bookkeeping?.state === 'failed') {
    return `error reconciling the Cluster topology: failed to patch Cluster ${name}: ${bookkeeping.failure.message}`;
  }
  for (const [id, outcome] of outcomes) {
    if (planned === undefined && outcome.state === 'failed') {
      return `failed to repair ${id}: ${outcome.failure.message}`;
    }
  }
  const failure =
    planned === undefined
      ? undefined
      : problemOfChanges(planned.changes, outcomes, { id: clusterId, ref: toRef(cluster.object) });
  return failure === undefined ? undefined : `error reconciling the Cluster topology: ${failure}`;
}

interface Conclusion {
  readonly error: string | undefined;
  readonly outcomes: Outcomes;
  readonly now: Instant;
}

function toStatus(seen: ObservedTopology, { error, outcomes, now }: Conclusion): Readonly<Record<string, unknown>> {
  const { object, status } = seen.cluster;
  const stored = withUpgradePlan(toRecord(object.status), seen.plan);
  const reconciled = topologyReconciled({ ...seen, error, upgrade: seen.upgrade });
  if (reconciled === undefined) {
    return stored;
  }
  const { deprecated } = stored;
  return {
    ...stored,
    conditions: setCondition(status.conditions, reconciled.condition, {
      generation: generationOf(seen, outcomes),
      now,
    }),
    deprecated: {
      ...toRecord(deprecated),
      v1beta1: {
        ...toRecord(toRecord(deprecated)['v1beta1']),
        conditions: setV1Beta1Condition(status.deprecated.v1beta1.conditions, reconciled.v1beta1, { now }),
      },
    },
  };
}

/**
 * Writes to the Cluster have a resourceVersion precondition. Therefore this pass has observed the generation that they
 * produce.
 */
function generationOf({ cluster }: ObservedTopology, outcomes: Outcomes): number {
  const left = [clusterId, bookkeepingId].map(id => {
    const outcome = outcomes.get(id);
    return outcome?.state === 'done' ? outcome.object?.metadata.generation : undefined;
  });
  return left.find(generation => generation !== undefined) ?? cluster.metadata.generation;
}

/** A class that was not reconciled yet causes no error, because its next reconcile enqueues the Cluster. */
function toResult({ repairs, waitMs, isClassBehind }: ObservedTopology, error: string | undefined): Result {
  if (error !== undefined && !isClassBehind) {
    return { kind: 'failed', error: new Error(error), terminal: false };
  }
  const ms = repairs.length > 0 ? repairMs : waitMs;
  return ms === undefined ? { kind: 'done' } : { kind: 'requeueAfter', ms };
}

/**
 * Returns the status with this plan. An empty plan is omitted. Undefined means that there is no new plan, so the stored
 * plan is kept.
 */
export function withUpgradePlan(status: JsonObject, plan: UpgradePlan | undefined): JsonObject {
  return plan === undefined
    ? status
    : withSteps(withSteps(status, 'controlPlane', plan.controlPlane), 'workers', plan.workers);
}

function withSteps(status: JsonObject, part: 'controlPlane' | 'workers', versions: readonly string[]): JsonObject {
  const { upgradePlan: _, ...others } = toRecord(status[part]);
  const upgradePlan = versions.map(version => ({ version }));
  if (upgradePlan.length === 0 && status[part] === undefined) {
    return status;
  }
  return { ...status, [part]: { ...others, ...(upgradePlan.length === 0 ? {} : { upgradePlan }) } };
}
