// The status of a MachineSet after one pass, without observedGeneration.
import {
  type JsonObject,
  selectorProblem,
  toDisplayName,
  toRecord,
  toSelectorText,
} from '@capi-serverless/apimachinery';
import { isTrue, type SetOptions } from '@capi-serverless/cluster-api/conditions';
import type { StatusVersion } from '@capi-serverless/cluster-api/contract';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { isUpdatingInPlace } from '../../../shared/machine-collections/in-place-marks.ts';
import { countVersions, versionsOfMachines } from '../../../shared/machine-collections/machine-versions.ts';
import { deprecatedStatus, mergeDeprecated } from './deprecated-status.ts';
import { type StatusFacts, toConditions } from './machine-set-conditions.ts';

export interface StatusResult {
  /** The stored status with all owned fields replaced, except observedGeneration. */
  readonly status: JsonObject;
  readonly errors: readonly string[];
  /** The milliseconds until the next reconcile. `undefined` if the status needs none. */
  readonly requeueAfterMs: number | undefined;
}

/** Unknown Machines keep the counters. A selector that is not valid keeps counters and conditions. */
export function statusAfter(facts: StatusFacts, generation: SetOptions['generation']): StatusResult {
  const { machineSet, machines, now } = facts;
  const stored = toRecord(machineSet.object.status);
  const problem = selectorProblem(machineSet.spec.selector);
  const counts = problem === undefined && machines !== undefined ? countMachines(machines) : undefined;
  const replicas = counts?.replicas ?? machineSet.status.replicas ?? 0;
  const { fields, errors } = deprecatedStatus(facts, replicas);
  return {
    status: {
      ...stored,
      ...(problem === undefined
        ? {
            selector: toSelectorText(machineSet.spec.selector),
            ...counts,
            conditions: toConditions(facts, { generation, now }),
          }
        : {}),
      deprecated: mergeDeprecated(stored['deprecated'], fields),
    },
    errors: [...selectorErrors(machineSet, problem), ...errors.map(error => `${deprecatedProblem}: ${error}`)],
    requeueAfterMs: counts === undefined ? undefined : refreshAfterMs(machineSet, counts),
  };
}

const deprecatedProblem = 'failed to update deprecated v1beta1 status';

function selectorErrors({ metadata }: WholeMachineSet, problem: string | undefined): readonly string[] {
  const text = `failed to update status: failed to update status for MachineSet ${toDisplayName(metadata)}`;
  return problem === undefined ? [] : [`${text}: ${problem}`];
}

/** Events of Machines report when they become ready. That they become available later needs a timer. */
function refreshAfterMs(
  { spec, metadata }: WholeMachineSet,
  { readyReplicas, availableReplicas }: MachineSetCounters,
): number | undefined {
  const { minReadySeconds } = spec.template.spec;
  const waits = minReadySeconds > 0 && readyReplicas === spec.replicas && availableReplicas !== spec.replicas;
  return waits && metadata.deletionTimestamp === undefined ? minReadySeconds * 1000 : undefined;
}

interface MachineSetCounters {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
  readonly versions: readonly StatusVersion[] | undefined;
}

/** Machines in deletion count. A Machine that is updated in place counts as a replica only. */
function countMachines(machines: readonly WholeMachine[]): MachineSetCounters {
  const steady = machines.filter(({ metadata }) => !isUpdatingInPlace(metadata.annotations));
  const count = (type: string): number => steady.filter(({ status }) => isTrue(status.conditions, type)).length;
  return {
    replicas: machines.length,
    readyReplicas: count('Ready'),
    availableReplicas: count('Available'),
    upToDateReplicas: count('UpToDate'),
    versions: countVersions(versionsOfMachines(machines)),
  };
}
