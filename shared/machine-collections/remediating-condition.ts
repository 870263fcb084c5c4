// The condition Remediating. It lists Machines that their owner must replace. If there are none, it lists unhealthy
// Machines.
import { mapChecked } from '@capi-serverless/apimachinery';
import {
  aggregateConditions,
  type ConditionDraft,
  isFalse,
  orInternalError,
} from '@capi-serverless/cluster-api/conditions';
import { listNames, namesShown } from './listed-names.ts';
import { type ReportingMachine, toMachineSource } from './machine-source.ts';

const type = 'Remediating';

/** Returns whether the health check of the Machine failed. */
function isUnhealthy({ status }: Pick<ReportingMachine, 'status'>): boolean {
  return isFalse(status.conditions, 'HealthCheckSucceeded');
}

/** Returns whether the Machine is unhealthy, and its owner must replace it. */
export function mustBeRemediated(machine: Pick<ReportingMachine, 'status'>): boolean {
  return isUnhealthy(machine) && isFalse(machine.status.conditions, 'OwnerRemediated');
}

/** `remediators` follows `not to be remediated`. */
export function remediatingCondition(machines: readonly ReportingMachine[], remediators: string): ConditionDraft {
  const remediated = machines.filter(mustBeRemediated);
  if (remediated.length === 0) {
    const message = describeUnhealthy(machines.filter(isUnhealthy), remediators);
    return { type, status: 'False', reason: 'NotRemediating', message };
  }
  const aggregate = aggregateConditions(remediated.map(toMachineSource), 'OwnerRemediated', { targetType: type });
  const condition = mapChecked(aggregate, ({ message }) => ({
    type,
    status: 'True' as const,
    reason: 'Remediating',
    message,
  }));
  return orInternalError(condition, type);
}

function describeUnhealthy(machines: readonly ReportingMachine[], remediators: string): string {
  if (machines.length === 0) {
    return '';
  }
  const names = listNames(machines, namesShown);
  return machines.length === 1
    ? `Machine ${names} is not healthy (not to be remediated${remediators})`
    : `Machines ${names} are not healthy (not to be remediated${remediators})`;
}
