// The objects of a topology whose managed fields must be repaired before any other write.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { ManagedFieldsRepair } from '../../../shared/server-side-apply/managed-fields.ts';
import { repairCluster, repairObject } from '../../../shared/topology/managed-fields.ts';
import type { Current } from './current/current-topology.ts';

export function repairsOf(cluster: Cluster, current: Current): readonly ManagedFieldsRepair[] {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = current;
  const objects = [
    infrastructureCluster,
    controlPlane.object,
    controlPlane.machineTemplate,
    controlPlane.healthCheck,
    ...[...machineDeployments.values()].flatMap(each => [
      each.object,
      each.bootstrapTemplate,
      each.infrastructureTemplate,
      each.healthCheck,
    ]),
    ...[...machinePools.values()].flatMap(each => [each.object, each.bootstrapObject, each.infrastructureObject]),
  ];
  const ofObjects = objects.map(object => (object === undefined ? undefined : repairObject(object)));
  return [repairCluster(cluster.object), ...ofObjects].filter(repair => repair !== undefined);
}
