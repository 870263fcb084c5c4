// Maps events to the MachineHealthChecks that they enqueue.
import { type Kind, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';

export const healthCheckKind: Kind = {
  group: clusterGroup,
  version: 'v1beta2',
  kind: 'MachineHealthCheck',
  scope: 'Namespaced',
};

export const healthCheckWatches: readonly Watch[] = [
  {
    source: { ...healthCheckKind, kind: 'Cluster' },
    as: 'object',
    parts: ['status.conditions'],
    map: () => 'expand',
    versionOf: toClusterVersion,
    matchParts: [],
    matches: ({ metadata }, { namespace = '', name }) =>
      (metadata.namespace ?? '') === namespace && metadata.labels?.[clusterNameLabel] === name,
    // After a gap between watches, the source has neither name nor namespace.
    scopeOf: ({ namespace, name }) => ({
      ...withoutUndefined({ namespace }),
      ...(name === undefined ? {} : { labels: { [clusterNameLabel]: name } }),
    }),
  },
  {
    // A label that a Machine has lost may have selected it, so all MachineHealthChecks of its namespace are enqueued.
    source: { ...healthCheckKind, kind: 'Machine' },
    as: 'metadata',
    map: () => 'expand',
    matchParts: [],
    matches: ({ metadata }, { namespace = '' }) => (metadata.namespace ?? '') === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
];

/** The parts of a Cluster that its MachineHealthChecks read. A generation and a time of transition do not return. */
function toClusterVersion(object: Unstructured): string {
  const { metadata, status } = readCluster(object);
  const stateOf = (type: string) => {
    const condition = getCondition(status.conditions, type);
    return [condition?.status, condition?.lastTransitionTime];
  };
  return JSON.stringify([
    metadata.generation,
    stateOf('ControlPlaneInitialized'),
    stateOf('InfrastructureReady'),
    stateOf(remoteConnectionType),
  ]);
}
