// The display order of `status.conditions`.
import { compareText } from '@capi-serverless/apimachinery';

/**
 * The position of unknown types, for example of other projects and of gates: after the known types and before the final
 * ones.
 */
const others = Symbol('others');

const order: readonly (string | symbol)[] = [
  'Available',
  'Ready',
  'UpToDate',
  'RemoteConnectionProbe',
  'BootstrapConfigReady',
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'WorkersAvailable',
  'CertificatesAvailable',
  'Initialized',
  'EtcdClusterHealthy',
  'ControlPlaneComponentsHealthy',
  'NodeHealthy',
  'NodeReady',
  'NodeKubeadmLabelsAndTaintsSet',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'HealthCheckSucceeded',
  'OwnerRemediated',
  'TopologyReconciled',
  'Updating',
  'RollingOut',
  'Remediating',
  'ScalingDown',
  'ScalingUp',
  'MachinesReady',
  'ControlPlaneMachinesReady',
  'WorkerMachinesReady',
  'MachinesUpToDate',
  'ControlPlaneMachinesUpToDate',
  'WorkerMachinesUpToDate',
  others,
  'Paused',
  'Deleting',
];

const ranks = new Map(order.map((type, index) => [type, index]));
const otherRank = order.indexOf(others);

/** A stable sort by the rank of the type, then by type name. Types without a rank sort before Paused. */
export function sortConditions<C extends { readonly type: string }>(list: readonly C[]): readonly C[] {
  return list.toSorted((a, b) => rankOf(a.type) - rankOf(b.type) || compareText(a.type, b.type));
}

function rankOf(type: string): number {
  return ranks.get(type) ?? otherRank;
}
