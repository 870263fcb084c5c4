// One MachinePool of a topology, with its bootstrap object and its infrastructure object.
import { type Cluster, clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { MachinePoolClass } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { WorkerTemplates } from '../../../../shared/topology/model/blueprint.ts';
import type { MachinePoolTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { poolNameLabel } from '../../../../shared/topology/model/keys.ts';
import type { WorkerNames } from '../names/topology-names.ts';
import { templateToObject } from './clone.ts';
import type { DesiredMachinePool } from './desired-topology.ts';
import { present } from './fields.ts';
import { chosenList, machineSpec, workerMetadata } from './machines.ts';
import { clusterAsOwner, metadataFields } from './topology-metadata.ts';

interface MachinePoolInput {
  readonly cluster: Cluster;
  readonly topology: MachinePoolTopology;
  readonly from: WorkerTemplates<MachinePoolClass>;
  readonly names: WorkerNames;
  readonly version: string;
}

export function computeMachinePool(input: MachinePoolInput): DesiredMachinePool {
  const { cluster, topology, from, names, version } = input;
  const topologyLabel = { [poolNameLabel]: topology.name };
  const shared = { cluster, owner: clusterAsOwner(cluster), topologyLabel };
  const bootstrapObject = templateToObject({ ...shared, template: from.bootstrap, name: names.bootstrap.name });
  const infrastructureObject = templateToObject({
    ...shared,
    template: from.infrastructure,
    name: names.infrastructure.name,
  });
  const metadata = metadataFields(workerMetadata(cluster, topologyLabel, { topology, ofClass: from.class }));
  const machines = {
    cluster,
    version,
    topology,
    ofClass: from.class,
    bootstrap: bootstrapObject,
    infrastructure: infrastructureObject,
  };
  const object = {
    apiVersion: clusterApiVersion,
    kind: 'MachinePool',
    metadata: { name: names.object.name, namespace: cluster.metadata.namespace, ...metadata },
    spec: present({
      clusterName: cluster.metadata.name,
      replicas: topology.replicas,
      failureDomains: chosenList(topology.failureDomains, from.class.failureDomains),
      template: { metadata, spec: machineSpec(machines) },
    }),
  };
  return { object, bootstrapObject, infrastructureObject };
}
