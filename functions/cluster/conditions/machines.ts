// The conditions Ready and UpToDate of Machines, aggregated separately for control plane Machines and worker Machines.
import type { Instant } from '@capi-serverless/apimachinery';
import { type ConditionDraft, internalError } from '@capi-serverless/cluster-api/conditions';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { type KnownDescendants, standAloneWorkers } from '../phases/descendants.ts';

type MachinesOf = (descendants: KnownDescendants) => readonly Machine[];
type Aggregate = (type: string, machines: readonly Machine[], now: Instant) => ConditionDraft;

const controlPlane: MachinesOf = descendants => descendants.controlPlaneMachines;

export const controlPlaneMachinesReady = machinesCondition('ControlPlaneMachinesReady', controlPlane, machinesReady);
export const workerMachinesReady = machinesCondition('WorkerMachinesReady', standAloneWorkers, machinesReady);

export const controlPlaneMachinesUpToDate = machinesCondition(
  'ControlPlaneMachinesUpToDate',
  controlPlane,
  machinesUpToDate,
);
export const workerMachinesUpToDate = machinesCondition('WorkerMachinesUpToDate', standAloneWorkers, machinesUpToDate);

function machinesCondition(
  type: string,
  machinesOf: MachinesOf,
  aggregate: Aggregate,
): (conclusion: Conclusion) => ConditionDraft {
  return ({ scope: { descendants, now } }) =>
    descendants.known ? aggregate(type, machinesOf(descendants), now) : internalError(type);
}
