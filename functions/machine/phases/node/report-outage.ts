// A Machine that gets no answer from its workload cluster marks its Cluster. The change enqueues the Cluster, whose probe
// then decides for all its Machines (docs/decisions/0061-machines-report-outages.md).
import { type Instant, toRef } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { type Action, concluded } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { failingSinceAnnotation, remoteConnectionType } from '../../../../shared/api/cluster/remote-connection.ts';
import type { MachinePhase } from '../pass-progress.ts';
import type { MachineScope } from '../scope.ts';
import type { NodeLookup } from './lookup.ts';

interface AskedCluster {
  readonly cluster: Cluster;
  readonly lookup: NodeLookup;
  /** Whether the workload cluster was asked in this pass. */
  readonly isAsked: boolean;
  /** Whether Clusters are probed. Otherwise nothing would remove the annotation. */
  readonly probesRemote: boolean;
}

/**
 * Returns true if the workload cluster did not answer, and the Cluster still reports a connection and stores no failure. A
 * Cluster in deletion is not probed.
 */
export function isUnnoticedOutage({ cluster, lookup, isAsked, probesRemote }: AskedCluster): boolean {
  const { metadata, status } = cluster;
  return (
    isAsked &&
    lookup.state === 'notConnected' &&
    probesRemote &&
    metadata.deletionTimestamp === undefined &&
    isTrue(status.conditions, remoteConnectionType) &&
    metadata.annotations[failingSinceAnnotation] === undefined
  );
}

/** The write has no effect on the Machine: its own report does not depend on it. */
export function outagePhase({ cluster, reportsOutage, now }: MachineScope): MachinePhase {
  return cluster === undefined || !reportsOutage ? concluded() : { actions: [reportOutage(cluster, now)], steps: [] };
}

/** Stores the time of the failure. Of several processes, one succeeds. */
function reportOutage({ object, metadata }: Cluster, now: Instant): Action {
  return {
    id: 'cluster:failing-since',
    onError: 'continue',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { annotations: { [failingSinceAnnotation]: toTimestamp(now) } } },
    resourceVersion: metadata.resourceVersion,
  };
}
