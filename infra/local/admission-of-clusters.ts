// What admission of a Cluster asks an API server: its class, and how far it is with its version.
import type { ClusterChange } from '../../shared/admission/cluster-change.ts';
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import { type Cluster, clusterApiVersion, isDefined } from '../../shared/api/cluster/reader.ts';
import { quote } from '../../shared/api/field-error.ts';
import { readMachine } from '../../shared/api/machine/reader.ts';
import { toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import { clusterNameLabel } from '../../shared/contract/owner-references.ts';
import { ownedLabel } from '../../shared/topology/model/keys.ts';
import type { AdmissionReads } from './apiserver/core/admission.ts';

type Surroundings = Pick<ClusterChange, 'findClass' | 'progressOf'>;

/** Nodes of MachinePools are not looked at: no workload cluster is asked while a write waits. */
export function clusterSurroundings(reads: Pick<AdmissionReads, 'list'>): Surroundings {
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

/** In the version in which it is stored: all have their version at the same place. */
function controlPlaneOf({ metadata, spec }: Cluster, reads: Pick<AdmissionReads, 'list'>): Checked<Unstructured> {
  const { apiGroup, kind, name } = spec.controlPlaneRef;
  if (!isDefined(spec.controlPlaneRef)) {
    return invalid('cannot get object - object reference not set');
  }
  const { namespace } = metadata;
  // Kinds are looked up by their group.
  const found = find(reads.list(`${apiGroup}/any`, kind), { namespace, name });
  const missing = `${kind}.${apiGroup} ${quote(name)} not found`;
  return found === undefined
    ? invalid(`failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${missing}`)
    : valid(found);
}
