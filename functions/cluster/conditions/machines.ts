// The conditions Ready and UpToDate of Machines, aggregated separately for control plane Machines and worker Machines.

import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { aggregateConditions, type ConditionDraft, hasCondition } from '@capi-serverless/cluster-api/conditions';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { type KnownDescendants, standAloneWorkers } from '../phases/descendants.ts';
import { internalError, orInternalError } from './internal-error.ts';
import { toSource } from './source.ts';

/** A Machine without the condition UpToDate is ignored for this time after its creation. */
const upToDateGraceMs = 10_000;

interface Rules {
  readonly type: string;
  readonly sourceType: string;
  readonly reasons: { readonly issue: string; readonly unknown: string; readonly info: string };
  readonly machines: (descendants: KnownDescendants, now: Instant) => readonly Machine[];
}

const ready = {
  sourceType: 'Ready',
  reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
};
const upToDate = {
  sourceType: 'UpToDate',
  reasons: { issue: 'NotUpToDate', unknown: 'UpToDateUnknown', info: 'UpToDate' },
};

export const controlPlaneMachinesReady = machinesCondition({
  ...ready,
  type: 'ControlPlaneMachinesReady',
  machines: descendants => descendants.controlPlaneMachines,
});

export const workerMachinesReady = machinesCondition({
  ...ready,
  type: 'WorkerMachinesReady',
  machines: standAloneWorkers,
});

export const controlPlaneMachinesUpToDate = machinesCondition({
  ...upToDate,
  type: 'ControlPlaneMachinesUpToDate',
  machines: (descendants, now) => descendants.controlPlaneMachines.filter(machine => isJudged(machine, now)),
});

export const workerMachinesUpToDate = machinesCondition({
  ...upToDate,
  type: 'WorkerMachinesUpToDate',
  machines: (descendants, now) => standAloneWorkers(descendants).filter(machine => isJudged(machine, now)),
});

function machinesCondition({ type, sourceType, reasons, machines }: Rules): (conclusion: Conclusion) => ConditionDraft {
  return ({ scope: { descendants, now } }) => {
    if (!descendants.known) {
      return internalError(type);
    }
    const sources = machines(descendants, now).map(toSource);
    return sources.length === 0
      ? { type, status: 'True', reason: 'NoReplicas', message: '' }
      : orInternalError(aggregateConditions(sources, sourceType, { targetType: type, reasons }), type);
  };
}

function isJudged({ metadata, status }: Machine, now: Instant): boolean {
  const age = now - (instantOf(metadata.creationTimestamp) ?? Number.NaN);
  return hasCondition(status.conditions, 'UpToDate') || age > upToDateGraceMs;
}
