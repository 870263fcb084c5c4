// WorkersAvailable: the MachineDeployments' Available, taken together. MachinePools do not count, as upstream.
import { aggregateConditions } from '../../../shared/conditions/aggregate.ts';
import type { ConditionDraft } from '../../../shared/conditions/condition.ts';
import type { Phases } from '../phases/run.ts';
import { internalError, orInternalError } from './internal-error.ts';
import { toSource } from './source.ts';

const type = 'WorkersAvailable';
const reasons = { issue: 'NotAvailable', unknown: 'AvailableUnknown', info: 'Available' };

export function workersAvailable({ context: { descendants } }: Phases): ConditionDraft {
  if (!descendants.known) {
    return internalError(type);
  }
  if (descendants.machineDeployments.length === 0) {
    return { type, status: 'True', reason: 'NoWorkers', message: '' };
  }
  const sources = descendants.machineDeployments.map(toSource);
  return orInternalError(aggregateConditions(sources, 'Available', { targetType: type, reasons }), type);
}
