// Maps events to the MachineHealthChecks that they enqueue.
import { type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { conditionVersion, primariesLabelled } from '../../shared/api/member-watches.ts';

export const healthCheckKind = coreKind('MachineHealthCheck');

export const healthCheckWatches: readonly Watch[] = [
  {
    source: coreKind('Cluster'),
    as: 'object',
    parts: ['status.conditions'],
    map: () => 'expand',
    versionOf: toClusterVersion,
    ...primariesLabelled(clusterNameLabel),
  },
  {
    // A label that a Machine has lost may have selected it, so all MachineHealthChecks of its namespace are enqueued.
    source: coreKind('Machine'),
    as: 'metadata',
    map: () => 'expand',
    matchParts: [],
    matches: ({ metadata }, { namespace = '' }) => (metadata.namespace ?? '') === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
];

/** The parts of a Cluster that its MachineHealthChecks read. */
function toClusterVersion(object: Unstructured): string {
  const { metadata, status } = readCluster(object);
  const stateOf = (type: string) => conditionVersion(status.conditions, type);
  return JSON.stringify([
    metadata.generation,
    stateOf('ControlPlaneInitialized'),
    stateOf('InfrastructureReady'),
    stateOf(remoteConnectionType),
  ]);
}
