// Maps events to the Machines that they enqueue.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel, setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { conditionVersion, ownersOfKind, primariesLabelled } from '../../shared/api/member-watches.ts';
import { revisionAnnotation } from '../../shared/machine-collections/keys.ts';

export const machineKind = coreKind('Machine');

export const machineWatches: readonly Watch[] = [
  {
    source: coreKind('Cluster'),
    as: 'object',
    parts: ['status.initialization.infrastructureProvisioned', 'status.conditions'],
    map: () => 'expand',
    versionOf: toClusterVersion,
    ...primariesLabelled(clusterNameLabel),
  },
  {
    source: coreKind('MachineSet'),
    as: 'metadata',
    map: () => 'expand',
    versionOf: toOwnerVersion,
    ...primariesLabelled(setNameLabel, toNameLabelValue),
  },
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: () => 'expand',
    versionOf: toOwnerVersion,
    ...primariesLabelled(deploymentNameLabel),
  },
  // An object without this owner reference is found by the timer of the Machine that references it.
  { source: 'referenced', as: 'metadata', map: ({ object }) => ownersOfKind(object, 'Machine') },
];

/** The parts of a Cluster that its Machines read. */
function toClusterVersion(object: Unstructured): string {
  const { metadata, status } = readCluster(object);
  const stateOf = (type: string) => conditionVersion(status.conditions, type);
  return JSON.stringify([
    metadata.deletionTimestamp,
    metadata.generation,
    status.initialization.infrastructureProvisioned,
    stateOf('ControlPlaneInitialized'),
    stateOf(remoteConnectionType),
  ]);
}

/** The parts of a MachineSet or MachineDeployment that its Machines read. Status is not one of them. */
function toOwnerVersion({ metadata }: Unstructured): string {
  return JSON.stringify([
    metadata.generation,
    metadata.annotations?.[revisionAnnotation],
    metadata.labels?.[deploymentNameLabel],
  ]);
}
