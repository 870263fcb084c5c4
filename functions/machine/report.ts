// The report of one pass over a Machine: status, events and the result.
import { type Instant, type JsonObject, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import {
  type Condition,
  setCondition,
  setV1Beta1Condition,
  summarizeV1Beta1,
  type V1Beta1Condition,
} from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes, type Report, type Result, RetryableError } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { toConditions } from './conditions/all.ts';
import { machinePausedCondition } from './conditions/machine-paused.ts';
import { addFinalizerId } from './decide.ts';
import { conclude, type MachineConclusion } from './phases/conclude.ts';
import { storeFailuresId } from './phases/first-failures.ts';
import { isDeleting } from './phases/machine-gate.ts';
import { patchProblem } from './phases/object-owner.ts';
import { patchMachineId } from './phases/owner.ts';
import { phaseOf } from './phases/phase.ts';
import { requeuesOf } from './phases/requeues.ts';
import type { MachineProgress } from './phases/step.ts';
import type { MachinePlan, WholeMachinePlan } from './plan.ts';

/** If the pass could not read the Cluster or an owner, no status is written. */
export function report(plan: MachinePlan, outcomes: Outcomes, now: Instant): Report {
  switch (plan.step) {
    case 'finalizer':
      return finalizerReport(plan.machine, outcomes);
    case 'pausedCondition':
      return pausedReport(plan.machine, plan.isClusterPaused, now);
    case 'blocked':
      return { events: [], result: failed([plan.error]) };
    case 'phases':
      return wholeReport(plan, outcomes);
  }
}

function finalizerReport({ object }: WholeMachine, outcomes: Outcomes): Report {
  const failure = failureOf(outcomes, addFinalizerId);
  return {
    events: [],
    result: failure === undefined ? { kind: 'again' } : failed([`${patchProblem(object)}: ${failure.message}`]),
  };
}

function pausedReport(machine: WholeMachine, isClusterPaused: boolean, now: Instant): Report {
  const { object, metadata, status } = machine;
  const paused = machinePausedCondition(machine, isClusterPaused);
  const conditions = setCondition(status.conditions, paused, { generation: metadata.generation, now });
  return {
    status: { status: { ...toRecord(object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

function wholeReport(plan: WholeMachinePlan, outcomes: Outcomes): Report {
  const { seen, now } = plan;
  const conclusion = conclude(plan, outcomes);
  const { progress } = conclusion;
  const patchFailures = [patchMachineId, storeFailuresId].flatMap(id => failureOf(outcomes, id) ?? []);
  const errors = [
    ...progress.errors,
    ...patchFailures.map(({ message }) => `${patchProblem(seen.machine.object)}: ${message}`),
  ];
  const generation = generationAfter(seen.machine, outcomes);
  const conditions = toConditions(conclusion, { generation, now });
  const phase = phaseOf(conclusion.machine, progress, conditions);
  const hasChanged = phase !== seen.machine.status.phase;
  const lastUpdated = hasChanged ? toTimestamp(now) : seen.machine.status.lastUpdated;
  const isSettled = errors.length === 0 && progress.deferredErrors.length === 0;
  const status = {
    ...toStatus(conclusion, conditions),
    phase,
    ...(lastUpdated === undefined ? {} : { lastUpdated }),
    ...(isSettled ? { observedGeneration: generation } : {}),
  };
  const requeues = requeuesOf(conclusion, { ...seen.settings, conditions, lastUpdated });
  return { status: { status }, events: progress.events, result: toResult(errors, progress, requeues) };
}

/** The patch of this pass may have raised the generation. */
function generationAfter({ metadata }: WholeMachine, outcomes: Outcomes): number {
  const outcome = outcomes.get(patchMachineId);
  return (outcome?.state === 'done' ? outcome.object?.metadata.generation : undefined) ?? metadata.generation;
}

/** Returns the stored status with all owned fields replaced, except those that depend on the phase and the errors. */
function toStatus({ machine, progress, now }: MachineConclusion, conditions: readonly Condition[]): JsonObject {
  const stored = toRecord(machine.object.status);
  const { addresses, failureDomain, nodeInfo, certificatesExpiryDate } = progress;
  const { certificatesExpiryDate: storedDate, ...others } = stored;
  const date = certificatesExpiryDate === undefined ? storedDate : (certificatesExpiryDate ?? undefined);
  const { name } = machine.status.nodeRef;
  return {
    ...others,
    ...(date === undefined ? {} : { certificatesExpiryDate: date }),
    ...(addresses === undefined ? {} : { addresses: addresses.length === 0 ? undefined : addresses }),
    ...(failureDomain === undefined ? {} : { failureDomain: failureDomain === '' ? undefined : failureDomain }),
    ...(name === '' ? {} : { nodeRef: { ...toRecord(stored['nodeRef']), name } }),
    ...(nodeInfo === undefined ? {} : { nodeInfo }),
    initialization: unlessEmpty(toInitialization(stored, progress)),
    deletion: unlessEmpty({ ...toRecord(stored['deletion']), ...progress.deletionTimes }),
    conditions,
    deprecated: unlessEmpty(toDeprecated(machine, progress, now)),
  };
}

/** Once a field is true, it never changes. False is never written. */
function toInitialization(
  stored: JsonObject,
  { infrastructureProvisioned, bootstrapDataSecretCreated }: MachineProgress,
): JsonObject {
  return {
    ...toRecord(stored['initialization']),
    ...(infrastructureProvisioned ? { infrastructureProvisioned } : {}),
    ...(bootstrapDataSecretCreated ? { bootstrapDataSecretCreated } : {}),
  };
}

function toDeprecated(machine: WholeMachine, progress: MachineProgress, now: Instant): JsonObject {
  const deprecated = toRecord(toRecord(machine.object.status)['deprecated']);
  const conditions = withReady(machine, progress.v1beta1, now);
  const family = {
    ...toRecord(deprecated['v1beta1']),
    ...progress.failure,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return Object.keys(family).length > 0 ? { ...deprecated, v1beta1: family } : deprecated;
}

const readyTypes = [
  'InfrastructureReady',
  'BootstrapReady',
  'HealthCheckSucceeded',
  'OwnerRemediated',
  'DrainingSucceeded',
];

/** Before a Machine has a providerID, the message counts the steps. */
function withReady(
  machine: WholeMachine,
  conditions: readonly V1Beta1Condition[],
  now: Instant,
): readonly V1Beta1Condition[] {
  const summary = summarizeV1Beta1(conditions, { types: readyTypes });
  const steps = conditions.filter(({ type }) => readyTypes.includes(type));
  const isCounted =
    !isDeleting(machine) &&
    machine.spec.providerID === '' &&
    steps.every(({ type }) => type === 'InfrastructureReady' || type === 'BootstrapReady');
  const done = steps.filter(({ status }) => status === 'True').length;
  const counted =
    isCounted && summary !== undefined && summary.status !== 'True'
      ? { ...summary, message: `${done} of 2 completed` }
      : summary;
  return setV1Beta1Condition(conditions, counted, { now });
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Without `retries`, the retry follows with backoff. */
function failed(errors: readonly string[], retries: readonly number[] = []): Result {
  const message = toAggregateText(errors);
  const error =
    retries.length === 0
      ? new Error(message)
      : new RetryableError(message, { retryAfterMs: Math.min(...retries), isExact: true });
  return { kind: 'failed', error, terminal: false };
}

/** Errors have precedence, without duplicates. Otherwise the shortest requeue is used. */
function toResult(errors: readonly string[], { again, retries }: MachineProgress, requeues: readonly number[]): Result {
  if (errors.length > 0) {
    return failed(errors, retries);
  }
  if (again) {
    return { kind: 'again' };
  }
  const waits = [...requeues, ...retries];
  return waits.length > 0 ? { kind: 'requeueAfter', ms: Math.min(...waits) } : { kind: 'done' };
}
