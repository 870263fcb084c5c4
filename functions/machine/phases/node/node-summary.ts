// The deprecated condition NodeHealthy of a Machine whose Node was found.
import { type V1Beta1Draft, v1Beta1False, v1Beta1True, v1Beta1Unknown } from '@capi-serverless/cluster-api/conditions';
import type { NodeCondition, WorkloadNode } from '../../../../shared/api/node/reader.ts';

/** The conditions of a Node that count, with the status of a healthy Node. */
export const healthyStatuses: Readonly<Record<string, string>> = {
  Ready: 'True',
  MemoryPressure: 'False',
  DiskPressure: 'False',
  PIDPressure: 'False',
};

/** Fewer Unknown conditions do not make a Node unhealthy. */
const unknownUntilUnhealthy = 4;

const type = 'NodeHealthy';
const reason = 'NodeConditionsFailed';

/** A missing condition does not count. */
export function summarizeNode({ status }: WorkloadNode): V1Beta1Draft {
  const bad = status.conditions.filter(isBad);
  const message = bad.map(condition => `Node condition ${condition.type} is ${condition.status}`).join('. ');
  if (bad.some(condition => condition.status !== 'Unknown')) {
    return v1Beta1False(type, { reason, severity: 'Warning', message });
  }
  return bad.length < unknownUntilUnhealthy ? v1Beta1True(type) : v1Beta1Unknown(type, { reason, message });
}

/** Returns true if the condition counts and has not the status of a healthy Node. */
export function isBad(condition: NodeCondition): boolean {
  const healthy = healthyStatuses[condition.type];
  return healthy !== undefined && condition.status !== healthy;
}
