import { describe, expect, it } from 'vitest';
import type { Wait } from '../../../../shared/explain/conditions.ts';
import { byUrgency, type WaitingObject } from '../../../../shared/explain/urgency.ts';

function waiting(kind: string, type: string, reason = '', message = '', isControlPlane = false): WaitingObject {
  const condition = type === '' ? undefined : { type, status: 'False', reason, message };
  const wait: Wait = { until: type, condition };
  return { kind, display: `ns/${kind}-${type}-${reason}`, isControlPlane, wait };
}

/** From the most urgent one. Each object has another class of causes. */
const ordered: readonly WaitingObject[] = [
  waiting('ExtensionConfig', 'Discovered', 'NotDiscovered'),
  waiting('ClusterClass', 'VariablesReady', 'VariableDiscoveryFailed'),
  waiting('Cluster', 'TopologyReconciled', 'ReconcileFailed', 'no such variable'),
  waiting('Cluster', 'InfrastructureReady', 'NotReady'),
  waiting('Machine', 'NodeReady', 'NodeNotReady', '', true),
  waiting('Cluster', 'ControlPlaneInitialized', 'NotInitialized'),
  waiting('MachineHealthCheck', 'RemediationAllowed', 'TooManyUnhealthy'),
  waiting('Machine', 'Deleting', 'DrainingNode'),
  waiting('Cluster', 'Deleting', 'WaitingForInfrastructureDeletion'),
  waiting('MachineSet', 'ScalingUp', 'ScalingUp', 'Scaling up is blocked because: a check failed'),
  waiting('Machine', 'NodeHealthy', 'NodeNotHealthy'),
  waiting('Machine', 'HealthCheckSucceeded', 'UnhealthyNode'),
  waiting('ClusterResourceSet', 'ResourcesApplied', 'ApplyFailed'),
  waiting('Cluster', 'Paused', 'Paused'),
  waiting('MachineDeployment', 'RollingOut', 'RollingOut'),
  waiting('Cluster', 'WorkersAvailable', 'NotAvailable'),
  waiting('MachineDeployment', 'Available', 'NotAvailable'),
  waiting('MachineSet', 'MachinesReady', 'NotReady'),
  waiting('Machine', ''),
];

describe('the order of objects that wait', () => {
  it('puts causes before what follows from them, from any order', () => {
    expect(byUrgency(ordered.toReversed())).toEqual(ordered);
  });

  it.each([
    waiting('Cluster', 'TopologyReconciled', 'ClusterClassNotReconciled'),
    waiting('Cluster', 'TopologyReconciled', 'ReconcileFailed', 'ClusterClass is not successfully reconciled'),
    waiting('Machine', 'NodeReady', 'ConnectionDown'),
    waiting('Machine', 'NodeReady', 'InspectionFailed', 'Waiting for Cluster control plane to be initialized', true),
    waiting('Cluster', 'Deleting', 'WaitingForWorkersDeletion'),
  ])('puts $display after all causes', object => {
    const rollout = waiting('MachineDeployment', 'RollingOut', 'RollingOut');
    expect(byUrgency([object, rollout])).toEqual([rollout, object]);
  });

  it('sorts objects of the same class and kind by name', () => {
    const [a, b] = ['ns/a', 'ns/b'].map(display => ({ ...waiting('Cluster', 'Paused'), display }));
    expect(byUrgency([b, a].flatMap(each => each ?? []))).toEqual([a, b]);
  });
});
