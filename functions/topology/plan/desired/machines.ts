// The common parts of MachineDeployments and MachinePools of a topology.

import type { Intent, JsonObject } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { Deletion, TemplateMetadata } from '../../../../shared/api/topology-parts.ts';
import { deferUpgradeAnnotation, holdUpgradeSequenceAnnotation } from '../../../../shared/topology/model/keys.ts';
import { toContractReference } from './clone.ts';
import { listOrAbsent, present, presentOrAbsent } from './fields.ts';
import { type Texts, topologyLabels, topologyOverClass } from './topology-metadata.ts';

/** The fields of Machines that both topology and class can set. */
interface MachineFields {
  readonly metadata: TemplateMetadata;
  readonly deletion: Deletion;
  readonly minReadySeconds?: number | undefined;
  readonly taints: readonly unknown[] | undefined;
}

interface MachinesInput {
  readonly cluster: Cluster;
  readonly version: string;
  readonly topology: MachineFields;
  readonly ofClass: MachineFields;
  readonly bootstrap: Intent;
  readonly infrastructure: Intent;
}

/** The metadata of both the object and its Machines. Annotations that control upgrades are not copied. */
export function workerMetadata(
  cluster: Cluster,
  topologyLabel: Texts,
  { topology, ofClass }: Pick<MachinesInput, 'topology' | 'ofClass'>,
): TemplateMetadata {
  const { labels, annotations: all } = topologyOverClass(topology.metadata, ofClass.metadata);
  const { [deferUpgradeAnnotation]: _, [holdUpgradeSequenceAnnotation]: _hold, ...annotations } = all;
  return { labels: { ...labels, ...topologyLabels(cluster), ...topologyLabel }, annotations };
}

/** The spec of the Machines: the fields of both kinds of workers. */
export function machineSpec(input: MachinesInput): JsonObject {
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

/** Returns the whole list of the topology if it is set, even if it is empty. The API types omit empty lists. */
export function chosenList(
  topology: readonly unknown[] | undefined,
  ofClass: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  return listOrAbsent(topology ?? ofClass);
}

function timeoutsOf(topology: Deletion, ofClass: Deletion): JsonObject | undefined {
  return presentOrAbsent({
    nodeDrainTimeoutSeconds: topology.nodeDrainTimeoutSeconds ?? ofClass.nodeDrainTimeoutSeconds,
    nodeVolumeDetachTimeoutSeconds: topology.nodeVolumeDetachTimeoutSeconds ?? ofClass.nodeVolumeDetachTimeoutSeconds,
    nodeDeletionTimeoutSeconds: topology.nodeDeletionTimeoutSeconds ?? ofClass.nodeDeletionTimeoutSeconds,
  });
}
