// The report of one pass over a Cluster: status, events and the result.
import { type Instant, type JsonObject, toRecord, unlessEmpty } from '@capi-serverless/apimachinery';
import { setV1Beta1Condition, summarizeV1Beta1 } from '@capi-serverless/cluster-api/conditions';
import { isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { type EventDraft, isDeleting, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import { type Cluster, isDefined } from '../../shared/api/cluster/reader.ts';
import { toConditions } from './conditions/all.ts';
import { type Conclusion, conclude } from './phases/conclude.ts';
import { observedGeneration } from './phases/endpoint.ts';
import type { ClusterProgress } from './phases/pass-progress.ts';
import { controlPlaneReplicas, workerReplicas } from './phases/replicas.ts';
import type { ClusterPlan } from './plan.ts';

/** Events report changes of this pass, so each event is recorded once. */
export function report(plan: ClusterPlan, outcomes: Outcomes): Report {
  const { cluster } = plan.scope.seen;
  const conclusion = conclude(plan, outcomes);
  const { progress } = conclusion;
  const phase = phaseOf(conclusion);
  const status = toStatus(conclusion, observedGeneration(cluster, outcomes));
  return {
    status: { status: { ...status, phase } },
    events: [...progress.events, ...phaseEvents(cluster, phase)],
    result: resultOf(progress),
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
  { infrastructureProvisioned, controlPlaneInitialized }: ClusterProgress,
): JsonObject {
  return {
    ...toRecord(stored['initialization']),
    ...(infrastructureProvisioned ? { infrastructureProvisioned } : {}),
    ...(controlPlaneInitialized ? { controlPlaneInitialized } : {}),
  };
}

function toDeprecated(stored: JsonObject, { v1beta1, failure }: ClusterProgress, now: Instant): JsonObject {
  const deprecated = toRecord(stored['deprecated']);
  const ready = summarizeV1Beta1(v1beta1, { types: ['ControlPlaneReady', 'InfrastructureReady'] });
  const conditions = setV1Beta1Condition(v1beta1, ready, { now });
  const family = { ...toRecord(deprecated['v1beta1']), ...failure, ...(conditions.length > 0 ? { conditions } : {}) };
  return Object.keys(family).length > 0 ? { ...deprecated, v1beta1: family } : deprecated;
}

const knownPhases: readonly string[] = ['Pending', 'Provisioning', 'Provisioned', 'Deleting', 'Failed'];

/** The last applicable line determines the phase. If none applies, the stored phase is kept. */
function phaseOf({ scope, progress, endpoint }: Conclusion): string {
  const { cluster } = scope.seen;
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  if (isDeleting(cluster)) {
    return 'Deleting';
  }
  if (progress.infrastructureProvisioned && isValidEndpoint(endpoint)) {
    return 'Provisioned';
  }
  if (isDefined(infrastructureRef) || isDefined(controlPlaneRef)) {
    return 'Provisioning';
  }
  return cluster.status.phase === '' ? 'Pending' : cluster.status.phase;
}

/** Records one event per change of the phase. An unknown phase is treated as no phase. */
function phaseEvents({ metadata, status }: Cluster, phase: string): readonly EventDraft[] {
  return toKnown(phase) === toKnown(status.phase)
    ? []
    : [{ type: 'Normal', reason: phase, message: `Cluster ${metadata.name} is ${phase}` }];
}

function toKnown(phase: string): string {
  return knownPhases.includes(phase) ? phase : 'Unknown';
}
