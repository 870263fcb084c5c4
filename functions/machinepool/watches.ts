// Maps events to the MachinePools that they enqueue.
import type { Name, Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { poolNameLabel, readMachine } from '../../shared/api/machine/reader.ts';
import { clusterWatch, conditionVersion, ownersOfKind } from '../../shared/api/member-watches.ts';

export const machinePoolKind = coreKind('MachinePool');

export const machinePoolWatches: readonly Watch[] = [
  { ...clusterWatch({ conditions: ['ControlPlaneInitialized', remoteConnectionType] }), map: () => 'expand' },
  {
    // Upstream does not watch Machines, so its counters change only with the next event or resync.
    source: coreKind('Machine'),
    as: 'object',
    parts: ['spec.version', 'status.conditions', 'status.nodeInfo.kubeletVersion'],
    map: ({ object }) => toPools(object) ?? [],
    versionOf: toMachineVersion,
  },
  { source: 'referenced', as: 'metadata', map: toOwningPools },
];

/** The parts of a Machine that its MachinePool counts. */
function toMachineVersion(object: Unstructured): string {
  const { metadata, spec, status } = readMachine(object);
  const stateOf = (type: string) => conditionVersion(status.conditions, type);
  return JSON.stringify([
    metadata.deletionTimestamp,
    metadata.generation,
    spec.version,
    status.nodeInfo.kubeletVersion,
    ...['Ready', 'Available', 'UpToDate'].map(stateOf),
  ]);
}

/** The bootstrap config and the infrastructure are owned. The objects of its machines have the labels of the pool. */
function toOwningPools({ object }: SourceEvent): readonly Name[] {
  if (pausedAnnotation in (object.metadata.annotations ?? {})) {
    return [];
  }
  const owners = ownersOfKind(object, 'MachinePool');
  return owners.length > 0 ? owners : (toPools(object) ?? []);
}

/**
 * Returns the pool in the label. The label of a long name is a hash: then the owner names the pool. Returns `undefined` if
 * the object belongs to no pool.
 */
function toPools({ metadata }: Unstructured): readonly Name[] | undefined {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const value = labels[poolNameLabel];
  if (value === undefined) {
    return undefined;
  }
  const owner = ownerReferences.find(({ kind, name }) => kind === 'MachinePool' && toNameLabelValue(name) === value);
  return [{ namespace, name: owner?.name ?? value }];
}
