// The report of one pass over a Machine: status, events and the result.
import {
  type Instant,
  type JsonObject,
  toAggregateText,
  toRecord,
  unlessEmpty,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import {
  type Condition,
  isTrue,
  setV1Beta1Condition,
  summarizeV1Beta1,
  type V1Beta1Condition,
} from '@capi-serverless/cluster-api/conditions';
import {
  isDeleting,
  type Outcomes,
  type Report,
  type Result,
  RetryableError,
  resultOf,
} from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { toConditions } from './conditions/machine-conditions.ts';
import { requeuesOf } from './conditions/requeues.ts';
import { conclude, type MachineConclusion } from './phases/conclude.ts';
import { patchMachineId } from './phases/own-metadata.ts';
import type { MachineProgress } from './phases/pass-progress.ts';
import type { MachinePlan } from './plan.ts';

export function report(plan: MachinePlan, outcomes: Outcomes): Report {
  const { machine, now } = plan.scope;
  const conclusion = conclude(plan, outcomes);
  const { progress } = conclusion;
  const generation = generationAfter(machine, outcomes);
  const conditions = toConditions(conclusion, { generation, now });
  const phase = phaseOf(conclusion.machine, progress, conditions);
  const hasChanged = phase !== machine.status.phase;
  const lastUpdated = hasChanged ? toTimestamp(now) : machine.status.lastUpdated;
  const isSettled = progress.errors.length === 0 && progress.deferredErrors.length === 0;
  const status = {
    ...toStatus(conclusion, conditions),
    phase,
    ...withoutUndefined({ lastUpdated }),
    ...(isSettled ? { observedGeneration: generation } : {}),
  };
  const requeues = requeuesOf(conclusion, { conditions, lastUpdated });
  return { status: { status }, events: progress.events, result: toResult(progress, requeues) };
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
    ...withoutUndefined({ certificatesExpiryDate: date }),
    ...(addresses === undefined ? {} : { addresses: addresses.length === 0 ? undefined : addresses }),
    ...(failureDomain === undefined ? {} : { failureDomain: failureDomain === '' ? undefined : failureDomain }),
    ...(name === '' ? {} : { nodeRef: { ...toRecord(stored['nodeRef']), name } }),
    ...withoutUndefined({ nodeInfo }),
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

/** An error of a phase that requests a retry has no backoff. */
function toResult({ errors, again, retries }: MachineProgress, requeues: readonly number[]): Result {
  if (errors.length === 0 || retries.length === 0) {
    return resultOf({ errors, again, requeues: [...requeues, ...retries] });
  }
  const retryAfterMs = Math.min(...retries);
  return {
    kind: 'failed',
    error: new RetryableError(toAggregateText(errors), { retryAfterMs, isExact: true }),
    terminal: false,
  };
}

/** The last applicable line determines the phase. If none applies, the stored phase is kept. */
function phaseOf(machine: WholeMachine, progress: MachineProgress, conditions: readonly Condition[]): string {
  const { infrastructureProvisioned, bootstrapDataSecretCreated, spec } = progress;
  const providerID = spec.providerID ?? machine.spec.providerID;
  const nodeRef = progress.nodeRef ?? machine.status.nodeRef.name;
  if (isDeleting(machine)) {
    return 'Deleting';
  }
  if (isTrue(conditions, 'Updating')) {
    return 'Updating';
  }
  if (nodeRef !== '' && infrastructureProvisioned) {
    return 'Running';
  }
  if (providerID !== '') {
    return 'Provisioned';
  }
  if (bootstrapDataSecretCreated && !infrastructureProvisioned) {
    return 'Provisioning';
  }
  return machine.status.phase === '' ? 'Pending' : machine.status.phase;
}
