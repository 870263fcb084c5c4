// Maps events to the MachineHealthChecks that they enqueue.
import { type ObjectRef, type Unstructured, valueAt, withoutUndefined } from '@capi-serverless/apimachinery';
import { selectConditions, storedConditions } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { clusterApiVersion, coreKind } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { clusterWatch } from '../../shared/api/member-watches.ts';
import { readMetadata } from '../../shared/event-source/own-status.ts';
import { externallyRemediatedType, healthyType, ownerRemediatedType } from './phases/condition-types.ts';

export const healthCheckKind = coreKind('MachineHealthCheck');

/** No health check may name them: they summarise the others. */
const summaries: readonly string[] = ['Ready', 'Available'];

/** What health checks and owners write. */
const written: readonly unknown[] = [healthyType, ownerRemediatedType, externallyRemediatedType];

const deprecatedConditions = 'status.deprecated.v1beta1.conditions';

export const healthCheckWatches: readonly Watch[] = [
  {
    ...clusterWatch({ conditions: ['ControlPlaneInitialized', 'InfrastructureReady', remoteConnectionType] }),
    map: () => 'expand',
  },
  {
    // A label that a Machine has lost may have selected it, so all MachineHealthChecks of its Cluster are enqueued.
    source: coreKind('Machine'),
    as: 'metadata',
    map: () => 'expand',
    expandsTo: toCluster,
    matchParts: [],
    matches: ({ metadata }, { namespace = '' }) => (metadata.namespace ?? '') === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
    contentParts: ['status.nodeRef.name', 'status.conditions', deprecatedConditions],
    contentOf: contentOfMachine,
  },
];

/** A Machine without the label is selected by no MachineHealthCheck, but may have been before. */
function toCluster({ metadata: { namespace, labels = {} } }: Unstructured): ObjectRef | undefined {
  const name = labels[clusterNameLabel] ?? '';
  return name === ''
    ? undefined
    : { apiVersion: clusterApiVersion, kind: 'Cluster', name, ...withoutUndefined({ namespace }) };
}

/** What a MachineHealthCheck reads of a Machine. Of the conditions that it does not write, it reads no message. */
function contentOfMachine(machine: Unstructured): string {
  const conditions = storedConditions(valueAt(machine, 'status.conditions'))
    .filter(({ type }) => !summaries.includes(type))
    .map(({ type, status, reason, lastTransitionTime, message }) => [
      ...[type, status, reason, lastTransitionTime],
      written.includes(type) ? message : '',
    ]);
  return JSON.stringify([
    readMetadata(machine),
    valueAt(machine, 'status.nodeRef.name'),
    conditions,
    selectConditions(machine, deprecatedConditions, type => written.includes(type)),
  ]);
}
