// What MachineDeployments and MachinePools of a topology have in common.
import type { Cluster } from '../../api/cluster/reader.ts';
import type { Intent } from '../../api/object.ts';
import { deferUpgradeAnnotation, holdUpgradeSequenceAnnotation } from '../model/keys.ts';
import type { Deletion, TemplateMetadata } from '../model/parts.ts';
import { toContractReference } from './clone.ts';
import { type Fields, listOrAbsent, present, presentOrAbsent } from './fields.ts';
import { type Texts, topologyLabels, topologyOverClass } from './metadata.ts';

/** What topology and class may both say of Machines. */
interface MachineFields {
  readonly metadata: TemplateMetadata;
  readonly deletion: Deletion;
  readonly minReadySeconds?: number | undefined;
  readonly taints: readonly unknown[] | undefined;
}

export interface MachinesInput {
  readonly cluster: Cluster;
  readonly version: string;
  readonly topology: MachineFields;
  readonly ofClass: MachineFields;
  readonly bootstrap: Intent;
  readonly infrastructure: Intent;
}

/** Of the object and of its Machines alike. Annotations that steer upgrades never leave the topology. */
export function workerMetadata(
  cluster: Cluster,
  topologyLabel: Texts,
  { topology, ofClass }: Pick<MachinesInput, 'topology' | 'ofClass'>,
): TemplateMetadata {
  const { labels, annotations: all } = topologyOverClass(topology.metadata, ofClass.metadata);
  const { [deferUpgradeAnnotation]: _, [holdUpgradeSequenceAnnotation]: _hold, ...annotations } = all;
  return { labels: { ...labels, ...topologyLabels(cluster), ...topologyLabel }, annotations };
}

/** Spec of the Machines, as far as both kinds of workers have it. */
export function machineSpec(input: MachinesInput): Fields {
  const { cluster, version, topology, ofClass, bootstrap, infrastructure } = input;
  return present({
    clusterName: cluster.metadata.name,
    version,
    bootstrap: { configRef: toContractReference(bootstrap) },
    infrastructureRef: toContractReference(infrastructure),
    deletion: timeoutsOf(topology.deletion, ofClass.deletion),
    minReadySeconds: topology.minReadySeconds ?? ofClass.minReadySeconds,
    taints: chosenList(topology.taints, ofClass.taints),
  });
}

/** The topology's list as a whole where there is one, though it be empty; the API's own kinds leave out empty ones. */
export function chosenList(
  topology: readonly unknown[] | undefined,
  ofClass: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  return listOrAbsent(topology ?? ofClass);
}

function timeoutsOf(topology: Deletion, ofClass: Deletion): Fields | undefined {
  return presentOrAbsent({
    nodeDrainTimeoutSeconds: topology.nodeDrainTimeoutSeconds ?? ofClass.nodeDrainTimeoutSeconds,
    nodeVolumeDetachTimeoutSeconds: topology.nodeVolumeDetachTimeoutSeconds ?? ofClass.nodeVolumeDetachTimeoutSeconds,
    nodeDeletionTimeoutSeconds: topology.nodeDeletionTimeoutSeconds ?? ofClass.nodeDeletionTimeoutSeconds,
  });
}
