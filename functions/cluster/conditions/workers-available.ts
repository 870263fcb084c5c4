// The condition WorkersAvailable. It aggregates the condition Available of MachineDeployments. As upstream, it ignores
// MachinePools.

import {
  aggregateConditions,
  type ConditionDraft,
  internalError,
  orInternalError,
} from '@capi-serverless/cluster-api/conditions';
import type { Conclusion } from '../phases/conclude.ts';
import { toSource } from './source.ts';

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
