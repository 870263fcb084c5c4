// What one pass over a Cluster tells: status with phase, counters and both condition families, events, and the result.

import { toAggregateText } from '../../shared/api/aggregate-text.ts';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import { toRecord } from '../../shared/api/fields.ts';
import type { Instant } from '../../shared/api/object.ts';
import { setCondition } from '../../shared/conditions/set.ts';
import { setV1Beta1Condition } from '../../shared/conditions/v1beta1.ts';
import { summarizeV1Beta1 } from '../../shared/conditions/v1beta1-summary.ts';
import type { Outcomes, Report, Result } from '../../shared/kernel/types.ts';
import { toConditions } from './conditions/all.ts';
import { pausedCondition } from './conditions/paused.ts';
import { addFinalizerId } from './decide.ts';
import { observedGeneration } from './phases/endpoint.ts';
import { patchError } from './phases/external.ts';
import { failureOf } from './phases/outcomes.ts';
import { phaseEvents, phaseOf } from './phases/phase.ts';
import { controlPlaneReplicas, workerReplicas } from './phases/replicas.ts';
import { type Phases, runPhases } from './phases/run.ts';
import type { Progress } from './phases/scope.ts';
import type { Seen, WholeView } from './seen.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The status is left out where nothing could be concluded. Events tell what this pass changed, so each is told once. */
export function report(seen: Seen, outcomes: Outcomes, now: Instant): Report {
  switch (seen.step) {
    case 'finalizer':
      return finalizerReport(seen.cluster, outcomes);
    case 'pausedCondition':
      return pausedReport(seen.cluster, now);
    case 'clusterClassError':
      return { events: [], result: toResult([seen.error], []) };
    case 'topologyWait':
    case 'phases':
      return wholeReport(seen, outcomes, now);
  }
}

function finalizerReport({ object }: Cluster, outcomes: Outcomes): Report {
  const failure = failureOf(outcomes, addFinalizerId);
  const result: Result =
    failure === undefined ? { kind: 'again' } : toResult([patchError(object, failure.message)], []);
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

function wholeReport(seen: WholeView, outcomes: Outcomes, now: Instant): Report {
  const { cluster } = seen;
  const phases = runPhases(seen, outcomes, now);
  const { errors, requeues, events } = phases.progress;
  const phase = phaseOf(cluster, phases.progress);
  const status = toStatus(phases, observedGeneration(cluster, outcomes));
  return {
    status: { status: { ...status, phase } },
    events: [...events, ...phaseEvents(cluster, phase)],
    result: toResult(errors, requeues),
  };
}

/** The stored status with everything of ours replaced. What is empty is left out, save the two that upstream shows as {}. */
function toStatus({ context, progress }: Phases, generation: number): Fields {
  const { cluster } = context.seen;
  const stored = toRecord(cluster.object.status);
  const options = { generation, now: context.now };
  return {
    ...stored,
    ...(progress.errors.length === 0 ? { observedGeneration: generation } : {}),
    ...(progress.failureDomains === undefined ? {} : { failureDomains: unlessEmpty(progress.failureDomains) }),
    initialization: unlessEmpty(toInitialization(stored, progress)),
    controlPlane: controlPlaneReplicas(context),
    workers: workerReplicas(context),
    conditions: toConditions({ context, progress }, options),
    deprecated: unlessEmpty(toDeprecated(stored, progress, context.now)),
  };
}

/** Both stay true once they were; neither is ever written as false. */
function toInitialization(stored: Fields, { infrastructureProvisioned, controlPlaneInitialized }: Progress): Fields {
  return {
    ...toRecord(stored['initialization']),
    ...(infrastructureProvisioned ? { infrastructureProvisioned } : {}),
    ...(controlPlaneInitialized ? { controlPlaneInitialized } : {}),
  };
}

function toDeprecated(stored: Fields, { v1beta1, failure }: Progress, now: Instant): Fields {
  const deprecated = toRecord(stored['deprecated']);
  const ready = summarizeV1Beta1(v1beta1, { types: ['ControlPlaneReady', 'InfrastructureReady'] });
  const conditions = setV1Beta1Condition(v1beta1, ready, { now });
  const family = { ...toRecord(deprecated['v1beta1']), ...failure, ...(conditions.length > 0 ? { conditions } : {}) };
  return Object.keys(family).length > 0 ? { ...deprecated, v1beta1: family } : deprecated;
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Errors win and are told once each; otherwise the soonest wish to look again. */
function toResult(errors: readonly string[], requeues: readonly number[]): Result {
  if (errors.length > 0) {
    return { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false };
  }
  return requeues.length > 0 ? { kind: 'requeueAfter', ms: Math.min(...requeues) } : { kind: 'done' };
}
