// Counters and versions of collections of Machines, and the conditions derived from them.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { type ConditionDraft, isTrue, storedConditions } from '@capi-serverless/cluster-api/conditions';
import { compareVersionTexts } from '@capi-serverless/cluster-api/contract';
import { textAt } from './read.ts';

interface Counters {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
}

export interface VersionCount {
  readonly version: string;
  readonly replicas: number;
}

interface MachineCounts extends Counters {
  /** The versions in ascending order. Empty if no version is known. */
  readonly versions: readonly VersionCount[];
}

export function holds(object: Unstructured, type: string): boolean {
  return isTrue(storedConditions(valueAt(object, 'status.conditions')), type);
}

/** Counts the Machines individually. */
export function countMachines(machines: readonly Unstructured[]): MachineCounts {
  const how = (type: string): number => machines.filter(machine => holds(machine, type)).length;
  return {
    replicas: machines.length,
    readyReplicas: how('Ready'),
    availableReplicas: how('Available'),
    upToDateReplicas: how('UpToDate'),
    versions: addUp(machines.map(machine => ({ version: versionOf(machine), replicas: 1 }))),
  };
}

/** The version that runs. If none is known, the desired version. */
function versionOf(machine: Unstructured): string {
  return textAt(machine, 'status.nodeInfo.kubeletVersion') || textAt(machine, 'spec.version');
}

function addUp(counts: readonly VersionCount[]): readonly VersionCount[] {
  const sums = new Map<string, number>();
  for (const { version, replicas } of counts) {
    sums.set(version, (sums.get(version) ?? 0) + replicas);
  }
  return [...sums]
    .map(([version, replicas]) => ({ version, replicas }))
    .filter(({ version, replicas }) => version !== '' && replicas > 0)
    .toSorted((a, b) => compareVersionTexts(a.version, b.version));
}

/** The conditions ScalingUp, ScalingDown, MachinesReady and MachinesUpToDate. */
export function scalingConditions(counted: MachineCounts, desired: number): readonly ConditionDraft[] {
  const { replicas } = counted;
  return [
    toCondition('ScalingUp', replicas < desired, `Scaling up from ${replicas} to ${desired} replicas`),
    toCondition('ScalingDown', replicas > desired, `Scaling down from ${replicas} to ${desired} replicas`),
    toMachinesCondition('MachinesReady', 'Ready', { replicas, good: counted.readyReplicas }),
    toMachinesCondition('MachinesUpToDate', 'UpToDate', { replicas, good: counted.upToDateReplicas }),
  ];
}

export function rollingOut({ replicas, upToDateReplicas }: Counters): ConditionDraft {
  const outdated = replicas - upToDateReplicas;
  return toCondition('RollingOut', outdated > 0, `Rolling out ${outdated} not up-to-date replicas`);
}

function toCondition(type: string, isSo: boolean, message: string): ConditionDraft {
  return isSo ? { type, status: 'True', reason: type, message } : { type, status: 'False', reason: `Not${type}` };
}

function toMachinesCondition(
  type: string,
  reason: string,
  { replicas, good }: { readonly replicas: number; readonly good: number },
): ConditionDraft {
  if (replicas === 0) {
    return { type, status: 'True', reason: 'NoReplicas' };
  }
  return good === replicas
    ? { type, status: 'True', reason }
    : { type, status: 'False', reason: `Not${reason}`, message: `${good} of ${replicas} Machines` };
}
