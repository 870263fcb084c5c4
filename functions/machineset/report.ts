// The report of one pass over a MachineSet: status, events and the result.
import { type Instant, toAggregateText, toDisplayName, toRecord } from '@capi-serverless/apimachinery';
import { setCondition } from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes, type Report, type Result } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import { statusAfter } from './conditions/machine-set-status.ts';
import { addFinalizerId } from './decide.ts';
import { isDeleting, setPausedCondition } from './phases/set-gate.ts';
import { missingTemplateKinds } from './phases/set-templates.ts';
import type { MachineSetPlan, WholeMachineSetPlan } from './plan.ts';

/** If the pass could not read the Cluster, no status is written. */
export function report(plan: MachineSetPlan, outcomes: Outcomes, now: Instant): Report {
  switch (plan.step) {
    case 'finalizer':
      return finalizerReport(plan.machineSet, outcomes);
    case 'pausedCondition':
      return pausedReport(plan.machineSet, plan.isClusterPaused, now);
    case 'blocked':
      return { events: [], result: failed([plan.error]) };
    case 'noDeployment':
      return unknownReport(plan.machineSet, plan.error, now);
    case 'phases':
      return wholeReport(plan, outcomes);
  }
}

function failed(errors: readonly string[]): Result {
  return { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false };
}

function finalizerReport({ metadata }: WholeMachineSet, outcomes: Outcomes): Report {
  const failure = failureOf(outcomes, addFinalizerId);
  const problem = `failed to patch MachineSet ${toDisplayName(metadata)}`;
  return {
    events: [],
    result: failure === undefined ? { kind: 'again' } : failed([`${problem}: ${failure.message}`]),
  };
}

function pausedReport(machineSet: WholeMachineSet, isClusterPaused: boolean, now: Instant): Report {
  const { object, metadata, status } = machineSet;
  const paused = setPausedCondition(machineSet, isClusterPaused);
  const conditions = setCondition(status.conditions, paused, { generation: metadata.generation, now });
  return {
    status: { status: { ...toRecord(object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

/** Nothing is known: each condition says so, and the counters are kept. */
function unknownReport(machineSet: WholeMachineSet, error: string, now: Instant): Report {
  const nothing = { machines: undefined, missingTemplates: [], preflightMessages: [], machinesCreated: undefined };
  const { status, errors } = statusAfter({ machineSet, ...nothing, now }, machineSet.metadata.generation);
  return { status: { status }, events: [], result: failed([error, ...errors]) };
}

function wholeReport({ seen, conclude, machinesAfter }: WholeMachineSetPlan, outcomes: Outcomes): Report {
  const { machineSet, now } = seen;
  const { generation } = machineSet.metadata;
  const concluded = conclude(outcomes);
  const { errors = [], events = [], requeues = [], preflightMessages = [], machinesCreated, again } = concluded;
  const computed = statusAfter(
    {
      machineSet,
      machines: machinesAfter(outcomes),
      missingTemplates: missingTemplateKinds(seen),
      preflightMessages,
      machinesCreated,
      now,
    },
    generation,
  );
  const all = [...errors, ...computed.errors];
  const status = all.length === 0 ? { ...computed.status, observedGeneration: generation } : computed.status;
  const waits = [...requeues, ...(computed.requeueAfterMs === undefined ? [] : [computed.requeueAfterMs])];
  return { status: { status }, events, result: toResult(machineSet, { errors: all, again: again === true, waits }) };
}

interface PassEnding {
  readonly errors: readonly string[];
  readonly again: boolean;
  readonly waits: readonly number[];
}

/** A MachineSet in deletion waits for events of its Machines. */
function toResult(machineSet: WholeMachineSet, { errors, again, waits }: PassEnding): Result {
  if (errors.length > 0) {
    return failed(errors);
  }
  if (again) {
    return { kind: 'again' };
  }
  return waits.length === 0 || isDeleting(machineSet)
    ? { kind: 'done' }
    : { kind: 'requeueAfter', ms: Math.min(...waits) };
}
