// Maps events to the Machines that they enqueue.
import { groupOf, type Kind, type Name, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { conditionVersion, primariesLabelled } from '../../shared/api/member-watches.ts';
import { revisionAnnotation } from '../../shared/machine-collections/keys.ts';

export const machineKind: Kind = { group: clusterGroup, version: 'v1beta2', kind: 'Machine', scope: 'Namespaced' };

function coreKind(kind: string): Kind {
  return { ...machineKind, kind };
}

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
  { source: 'referenced', as: 'metadata', map: toOwningMachines },
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

/** An object without this owner reference is found by the timer of the Machine that references it. */
function toOwningMachines({ object }: SourceEvent): readonly Name[] {
  const { annotations = {}, namespace = '', ownerReferences = [] } = object.metadata;
  if (pausedAnnotation in annotations) {
    return [];
  }
  return ownerReferences
    .filter(({ apiVersion, kind }) => kind === 'Machine' && groupOf(apiVersion) === clusterGroup)
    .map(({ name }) => ({ namespace, name }));
}
