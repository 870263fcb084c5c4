// The report of one pass over a MachineSet: status, events and the result.
import type { Instant } from '@capi-serverless/apimachinery';
import { failedResult, isDeleting, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import { statusAfter } from './conditions/machine-set-status.ts';
import { conclude } from './phases/pass-progress.ts';
import { missingTemplateKinds } from './phases/set-templates.ts';
import type { UnknownSetPlan, WholeMachineSetPlan } from './plan.ts';

export function report(plan: UnknownSetPlan | WholeMachineSetPlan, outcomes: Outcomes, now: Instant): Report {
  return 'machinesAfter' in plan ? wholeReport(plan, outcomes) : unknownReport(plan.seen, now);
}

/** Nothing is known: each condition says so, and the counters are kept. */
function unknownReport({ machineSet, error }: UnknownSetPlan['seen'], now: Instant): Report {
  const nothing = { machines: undefined, missingTemplates: [], preflightMessages: [], machinesCreated: undefined };
  const { status, errors } = statusAfter({ machineSet, ...nothing, now }, machineSet.metadata.generation);
  return { status: { status }, events: [], result: failedResult([error, ...errors]) };
}

/** A MachineSet in deletion waits for events of its Machines. */
function wholeReport(plan: WholeMachineSetPlan, outcomes: Outcomes): Report {
  const { machineSet, now } = plan.seen;
  const { generation } = machineSet.metadata;
  const progress = conclude(plan, outcomes);
  const computed = statusAfter(
    {
      machineSet,
      machines: plan.machinesAfter(outcomes),
      missingTemplates: missingTemplateKinds(plan.seen),
      preflightMessages: progress.preflightMessages ?? [],
      machinesCreated: progress.machinesCreated,
      now,
    },
    generation,
  );
  const errors = [...progress.errors, ...computed.errors];
  const status = errors.length === 0 ? { ...computed.status, observedGeneration: generation } : computed.status;
  const waits = [...progress.requeues, ...(computed.requeueAfterMs === undefined ? [] : [computed.requeueAfterMs])];
  return {
    status: { status },
    events: progress.events,
    result: resultOf({ errors, again: progress.again, requeues: isDeleting(machineSet) ? [] : waits }),
  };
}
