// The condition Remediating. It lists Machines that their owner must replace. If there are none, it lists unhealthy
// Machines.

import { mapChecked } from '@capi-serverless/apimachinery';
import { aggregateConditions, type ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { listNames, machinesToBeRemediated, unhealthyMachines } from '../phases/descendants.ts';
import { internalError, orInternalError } from './internal-error.ts';
import { toSource } from './source.ts';

const type = 'Remediating';
const namesShown = 3;

export function remediating({ scope: { descendants } }: Conclusion): ConditionDraft {
  if (!descendants.known) {
    return internalError(type);
  }
  const machines = machinesToBeRemediated(descendants);
  if (machines.length === 0) {
    const message = describeUnhealthy(unhealthyMachines(descendants));
    return { type, status: 'False', reason: 'NotRemediating', message };
  }
  const aggregate = aggregateConditions(machines.map(toSource), 'OwnerRemediated', { targetType: type });
  const condition = mapChecked(aggregate, ({ message }) => ({
    type,
    status: 'True' as const,
    reason: 'Remediating',
    message,
  }));
  return orInternalError(condition, type);
}

function describeUnhealthy(machines: readonly Machine[]): string {
  if (machines.length === 0) {
    return '';
  }
  const names = listNames(machines, namesShown);
  return machines.length === 1
    ? `Machine ${names} is not healthy (not to be remediated)`
    : `Machines ${names} are not healthy (not to be remediated)`;
}
