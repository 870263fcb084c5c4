// The reads that the admission of a Cluster needs: its class, and the progress of its upgrade.

import { type Checked, invalid, quote, toDisplayName, type Unstructured, valid } from '@capi-serverless/apimachinery';
import type { AdmissionReads } from '@capi-serverless/apiserver/core';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { ClusterChange } from '../shared/admission/cluster-change.ts';
import { type Cluster, clusterApiVersion, isDefined } from '../shared/api/cluster/reader.ts';
import { readMachine } from '../shared/api/machine/reader.ts';
import { ownedLabel } from '../shared/topology/model/keys.ts';

type ClusterLookups = Pick<ClusterChange, 'findClass' | 'progressOf'>;

/** Nodes of MachinePools are not read, because admission sends no request to a workload cluster. */
export function clusterLookups(reads: Pick<AdmissionReads, 'list'>): ClusterLookups {
  return {
    findClass: name => find(reads.list(clusterApiVersion, 'ClusterClass'), name),
    progressOf: cluster => {
      const { namespace, name } = cluster.metadata;
      const ofCluster = (kind: string) =>
        reads
          .list(clusterApiVersion, kind)
          .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[clusterNameLabel] === name);
      const owned = (kind: string) => ofCluster(kind).filter(({ metadata }) => metadata.labels?.[ownedLabel] === '');
      return {
        controlPlane: controlPlaneOf(cluster, reads),
        machineDeployments: owned('MachineDeployment'),
        machines: ofCluster('Machine').map(readMachine),
        machinePools: owned('MachinePool'),
      };
    },
  };
}

function find(
  objects: readonly Unstructured[],
  of: { readonly namespace: string; readonly name: string },
): Unstructured | undefined {
  return objects.find(({ metadata }) => metadata.name === of.name && metadata.namespace === of.namespace);
}

/** The class is read in its stored version, because every version has the field at the same path. */
function controlPlaneOf({ metadata, spec }: Cluster, reads: Pick<AdmissionReads, 'list'>): Checked<Unstructured> {
  const { apiGroup, kind, name } = spec.controlPlaneRef;
  if (!isDefined(spec.controlPlaneRef)) {
    return invalid('cannot get object - object reference not set');
  }
  const { namespace } = metadata;
  // Kinds are found by their group.
  const found = find(reads.list(`${apiGroup}/any`, kind), { namespace, name });
  const missing = `${kind}.${apiGroup} ${quote(name)} not found`;
  return found === undefined
    ? invalid(`failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${missing}`)
    : valid(found);
}
