// Maps events to the MachineHealthChecks that they enqueue.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { clusterWatch } from '../../shared/api/member-watches.ts';

export const healthCheckKind = coreKind('MachineHealthCheck');

export const healthCheckWatches: readonly Watch[] = [
  {
    ...clusterWatch({ conditions: ['ControlPlaneInitialized', 'InfrastructureReady', remoteConnectionType] }),
    map: () => 'expand',
  },
  {
    // A label that a Machine has lost may have selected it, so all MachineHealthChecks of its namespace are enqueued.
    source: coreKind('Machine'),
    as: 'metadata',
    map: () => 'expand',
    expandsTo: 'namespace',
    matchParts: [],
    matches: ({ metadata }, { namespace = '' }) => (metadata.namespace ?? '') === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
];
