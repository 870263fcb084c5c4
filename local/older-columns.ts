// The columns of the core kinds in v1beta1, as in the definitions of Cluster API v1.14.
import { ageColumn, column, countColumn, type PrinterColumn, wide } from '../shared/api/schema/definition.ts';

const cluster = column('Cluster', '.spec.clusterName');
const phase = column('Phase', '.status.phase');
const version = column('Version', '.spec.version');
const templateVersion = column('Version', '.spec.template.spec.version');
const desired = countColumn('Desired', '.spec.replicas', wide);
const replicas = countColumn('Replicas', '.status.replicas');
const ready = countColumn('Ready', '.status.readyReplicas');
const pool = [column('Pool Name', '.spec.poolRef.name'), column('Pool Kind', '.spec.poolRef.kind')];

const columns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  Cluster: [
    column('ClusterClass', '.spec.topology.class'),
    phase,
    ageColumn,
    column('Version', '.spec.topology.version'),
  ],
  MachineDeployment: [
    cluster,
    desired,
    replicas,
    ready,
    countColumn('Updated', '.status.updatedReplicas'),
    countColumn('Unavailable', '.status.unavailableReplicas'),
    phase,
    ageColumn,
    templateVersion,
  ],
  MachineSet: [
    cluster,
    desired,
    replicas,
    ready,
    countColumn('Available', '.status.availableReplicas'),
    ageColumn,
    templateVersion,
  ],
  MachinePool: [cluster, desired, column('Replicas', '.status.replicas'), phase, ageColumn, templateVersion],
  Machine: [
    cluster,
    column('NodeName', '.status.nodeRef.name'),
    column('ProviderID', '.spec.providerID'),
    phase,
    ageColumn,
    version,
  ],
  MachineHealthCheck: [
    cluster,
    countColumn('ExpectedMachines', '.status.expectedMachines'),
    column('MaxUnhealthy', '.spec.maxUnhealthy'),
    countColumn('CurrentHealthy', '.status.currentHealthy'),
    ageColumn,
  ],
  MachineDrainRule: [column('Behavior', '.spec.drain.behavior'), column('Order', '.spec.drain.order'), ageColumn],
  IPAddress: [column('Address', '.spec.address'), ...pool, ageColumn],
  IPAddressClaim: [...pool, ageColumn],
};

/** Returns the columns of a kind in its older versions. */
export function olderColumns(kind: string): readonly PrinterColumn[] {
  return columns[kind] ?? [ageColumn];
}
