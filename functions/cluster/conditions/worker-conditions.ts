// The conditions about the Machines of a Cluster and about its workers. They aggregate the conditions of these objects.
import type { Instant, PartialObject } from '@capi-serverless/apimachinery';
import {
  type AggregateSource,
  aggregateConditions,
  type ConditionDraft,
  hasCondition,
  internalError,
  orInternalError,
  ownerOf,
  type ReportedCondition,
  readConditions,
} from '@capi-serverless/cluster-api/conditions';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import type { Scoped } from '../../../shared/external/external.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { isOwnedBy, type KnownDescendants, singleMachines, standAloneWorkers } from '../phases/descendants.ts';

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

export function remediating({ scope: { descendants } }: Conclusion): ConditionDraft {
  return descendants.known ? remediatingCondition(singleMachines(descendants), '') : internalError('Remediating');
}

export const rollingOut = activityCondition('RollingOut', { countsMachineSets: false });
export const scalingUp = activityCondition('ScalingUp', { countsMachineSets: true });
export const scalingDown = activityCondition('ScalingDown', { countsMachineSets: true });

function activityCondition(type: string, { countsMachineSets }: { readonly countsMachineSets: boolean }) {
  const reasons = { issue: type, unknown: `${type}Unknown`, info: `Not${type}` };
  return ({ scope }: Conclusion): ConditionDraft => {
    const { descendants, controlPlane, seen } = scope;
    if (!descendants.known || controlPlane.state === 'unknown') {
      return internalError(type);
    }
    const machineSets = descendants.machineSets.filter(set => countsMachineSets && isOwnedBy(seen.cluster, set));
    const workers = [...descendants.machineDeployments, ...machineSets].map(toSource);
    const sources = [...controlPlaneSource(controlPlane, type), ...workers];
    return sources.length === 0
      ? { type, status: 'False', reason: reasons.info, message: '' }
      : orInternalError(aggregateConditions(sources, type, { negativePolarity: [type], reasons }), type);
  };
}

/**
 * A control plane is included only if it reports the condition type. A control plane with unreadable conditions is
 * omitted.
 */
function controlPlaneSource(controlPlane: Scoped, type: string): readonly AggregateSource[] {
  if (controlPlane.state !== 'inScope') {
    return [];
  }
  const conditions = readConditions(controlPlane.object);
  return conditions.ok && hasCondition(conditions.value, type)
    ? [{ owner: ownerOf(controlPlane.object), conditions: conditions.value }]
    : [];
}

interface Reporting extends PartialObject {
  readonly status: { readonly conditions: readonly ReportedCondition[] };
}

function toSource(object: Reporting): AggregateSource {
  return { owner: ownerOf(object), conditions: object.status.conditions };
}

const type = 'WorkersAvailable';
const reasons = { issue: 'NotAvailable', unknown: 'AvailableUnknown', info: 'Available' };

export function workersAvailable({ scope: { descendants } }: Conclusion): ConditionDraft {
  if (!descendants.known) {
    return internalError(type);
  }
  if (descendants.machineDeployments.length === 0) {
    return { type, status: 'True', reason: 'NoWorkers', message: '' };
  }
  const sources = descendants.machineDeployments.map(toSource);
  return orInternalError(aggregateConditions(sources, 'Available', { targetType: type, reasons }), type);
}
