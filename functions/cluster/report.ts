// The report of one pass over a Cluster: status, events and the result.

import { type Instant, type JsonObject, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import { setCondition, setV1Beta1Condition, summarizeV1Beta1 } from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes, type Report, type Result } from '@capi-serverless/reconciler';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import { toConditions } from './conditions/all.ts';
import { pausedCondition } from './conditions/paused.ts';
import { addFinalizerId } from './decide.ts';
import { type Conclusion, conclude } from './phases/conclude.ts';
import { observedGeneration } from './phases/endpoint.ts';
import { patchProblem } from './phases/outcomes.ts';
import { phaseEvents, phaseOf } from './phases/phase.ts';
import { controlPlaneReplicas, workerReplicas } from './phases/replicas.ts';
import type { PhaseProgress } from './phases/step.ts';
import type { ClusterPlan, WholePlan } from './plan.ts';

/**
 * If the pass could not compute a status, none is written. Events report changes of this pass, so each event is
 * recorded once.
 */
export function report(plan: ClusterPlan, outcomes: Outcomes, now: Instant): Report {
  switch (plan.step) {
    case 'finalizer':
      return finalizerReport(plan.cluster, outcomes);
    case 'pausedCondition':
      return pausedReport(plan.cluster, now);
    case 'clusterClassError':
      return { events: [], result: toResult([plan.error], []) };
    case 'topologyWait':
    case 'phases':
      return wholeReport(plan, outcomes);
  }
}

function finalizerReport({ object }: Cluster, outcomes: Outcomes): Report {
  const failure = failureOf(outcomes, addFinalizerId);
  const result: Result =
    failure === undefined ? { kind: 'again' } : toResult([`${patchProblem(object)}: ${failure.message}`], []);
  return { events: [], result };
}

function pausedReport(cluster: Cluster, now: Instant): Report {
  const { object, metadata, status } = cluster;
  const paused = pausedCondition(cluster);
  const conditions = setCondition(status.conditions, paused, { generation: metadata.generation, now });
  return {
    status: { status: { ...toRecord(object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

function wholeReport(plan: WholePlan, outcomes: Outcomes): Report {
  const { cluster } = plan.scope.seen;
  const conclusion = conclude(plan, outcomes);
  const { errors, requeues, events } = conclusion.progress;
  const phase = phaseOf(conclusion);
  const status = toStatus(conclusion, observedGeneration(cluster, outcomes));
  return {
    status: { status: { ...status, phase } },
    events: [...events, ...phaseEvents(cluster, phase)],
    result: toResult(errors, requeues),
  };
}

/**
 * Returns the stored status with all owned fields replaced. Empty objects are omitted, except two that upstream writes
 * as {}.
 */
function toStatus(conclusion: Conclusion, generation: number): JsonObject {
  const { scope, progress } = conclusion;
  const { cluster } = scope.seen;
  const stored = toRecord(cluster.object.status);
  const options = { generation, now: scope.now };
  return {
    ...stored,
    ...(progress.errors.length === 0 ? { observedGeneration: generation } : {}),
    ...(progress.failureDomains === undefined ? {} : { failureDomains: unlessEmpty(progress.failureDomains) }),
    initialization: unlessEmpty(toInitialization(stored, progress)),
    controlPlane: controlPlaneReplicas(scope),
    workers: workerReplicas(scope),
    conditions: toConditions(conclusion, options),
    deprecated: unlessEmpty(toDeprecated(stored, progress, scope.now)),
  };
}

/** Once a field is true, it never changes. False is never written. */
function toInitialization(
  stored: JsonObject,
  { infrastructureProvisioned, controlPlaneInitialized }: PhaseProgress,
): JsonObject {
  return {
    ...toRecord(stored['initialization']),
    ...(infrastructureProvisioned ? { infrastructureProvisioned } : {}),
    ...(controlPlaneInitialized ? { controlPlaneInitialized } : {}),
  };
}

function toDeprecated(stored: JsonObject, { v1beta1, failure }: PhaseProgress, now: Instant): JsonObject {
  const deprecated = toRecord(stored['deprecated']);
  const ready = summarizeV1Beta1(v1beta1, { types: ['ControlPlaneReady', 'InfrastructureReady'] });
  const conditions = setV1Beta1Condition(v1beta1, ready, { now });
  const family = { ...toRecord(deprecated['v1beta1']), ...failure, ...(conditions.length > 0 ? { conditions } : {}) };
  return Object.keys(family).length > 0 ? { ...deprecated, v1beta1: family } : deprecated;
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Errors have precedence, without duplicates. Otherwise the shortest requeue is used. */
function toResult(errors: readonly string[], requeues: readonly number[]): Result {
  if (errors.length > 0) {
    return { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false };
  }
  return requeues.length > 0 ? { kind: 'requeueAfter', ms: Math.min(...requeues) } : { kind: 'done' };
}
