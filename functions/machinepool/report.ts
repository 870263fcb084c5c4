// The report of one pass over a MachinePool: status, events and the result.
import { type Instant, type JsonObject, toRecord, unlessEmpty, withoutUndefined } from '@capi-serverless/apimachinery';
import {
  setCondition,
  setV1Beta1Condition,
  summarizeV1Beta1,
  type V1Beta1Condition,
} from '@capi-serverless/cluster-api/conditions';
import { type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import type { WholeMachinePool } from '../../shared/api/machine-pool/whole-machine-pool.ts';
import { phaseOf } from './phases/counters.ts';
import { pausedOf } from './phases/gate.ts';
import { patchPoolId } from './phases/own-metadata.ts';
import { conclude, type PoolCounters, type PoolProgress } from './phases/pool-progress.ts';
import type { PoolPlan } from './plan.ts';

const readyTypes = ['BootstrapReady', 'InfrastructureReady', 'ReplicasReady'];

export function report(plan: PoolPlan, outcomes: Outcomes): Report {
  const { seen, now } = plan;
  const { pool, cluster } = seen;
  const progress = conclude(pool, plan, { outcomes, now });
  const generation = generationAfter(pool, outcomes);
  const isSettled = progress.errors.length === 0 && !progress.isWaiting;
  const { nodeCounts } = progress;
  const status = {
    ...toStatus(pool, progress, now),
    ...toCounters(plan.countersAfter(progress, outcomes)),
    phase: phaseOf(pool, { ...progress, readyReplicas: nodeCounts.readyReplicas }),
    conditions: setCondition(pool.status.conditions, pausedOf(pool, cluster), { generation, now }),
    ...(isSettled ? { observedGeneration: generation } : {}),
  };
  return { status: { status }, events: progress.events, result: resultOf(progress) };
}

/** The patch of this pass may have raised the generation. */
function generationAfter({ metadata }: WholeMachinePool, outcomes: Outcomes): number {
  const outcome = outcomes.get(patchPoolId);
  return (outcome?.state === 'done' ? outcome.object?.metadata.generation : undefined) ?? metadata.generation;
}

/** Returns the stored status with all owned fields replaced, except counters, phase and conditions. */
function toStatus(pool: WholeMachinePool, progress: PoolProgress, now: Instant): JsonObject {
  const { infrastructureProvisioned, bootstrapDataSecretCreated, replicas, nodeRefs } = progress;
  const stored = toRecord(pool.object.status);
  return {
    ...stored,
    initialization: unlessEmpty({
      ...toRecord(stored['initialization']),
      ...withoutUndefined({ infrastructureProvisioned, bootstrapDataSecretCreated }),
    }),
    replicas,
    // An unchanged list is kept with all its fields.
    nodeRefs: nodeRefs === pool.status.nodeRefs ? stored['nodeRefs'] : toStored(nodeRefs),
    deprecated: toDeprecated(pool, progress, now),
  };
}

function toStored(nodeRefs: PoolProgress['nodeRefs']): readonly JsonObject[] | undefined {
  return nodeRefs.length === 0
    ? undefined
    : nodeRefs.map(({ name, uid }) => ({ apiVersion: 'v1', kind: 'Node', name, uid }));
}

function toCounters(counters: PoolCounters | undefined): JsonObject {
  if (counters === undefined) {
    return {};
  }
  const { versions, ...counts } = counters;
  return versions === 'kept' ? counts : { ...counts, versions };
}

/** As in upstream, counters of zero are omitted. */
function toDeprecated(pool: WholeMachinePool, progress: PoolProgress, now: Instant): JsonObject | undefined {
  const deprecated = toRecord(toRecord(pool.object.status)['deprecated']);
  const conditions = withReady(progress.v1beta1, now);
  const counts = Object.entries(progress.nodeCounts).map(([field, value]) => [field, value === 0 ? undefined : value]);
  const family = {
    ...toRecord(deprecated['v1beta1']),
    ...Object.fromEntries(counts),
    ...progress.failure,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return unlessEmpty({ ...deprecated, ...withoutUndefined({ v1beta1: unlessEmpty(withoutUndefined(family)) }) });
}

function withReady(conditions: readonly V1Beta1Condition[], now: Instant): readonly V1Beta1Condition[] {
  return setV1Beta1Condition(conditions, summarizeV1Beta1(conditions, { types: readyTypes }), { now });
}
