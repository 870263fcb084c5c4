// The time of the next reconcile of a Machine. Without a watch of Nodes, a timer requests it.
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import {
  failingSinceAnnotation,
  neverConnectedMessage,
  remoteConnectionType,
} from '../../../shared/api/cluster/remote-connection.ts';
import type { MachineConclusion } from '../phases/conclude.ts';
import { lostSince } from '../phases/node/connection.ts';
import { gapWithNodeMs, gapWithoutNodeMs } from '../phases/node/gaps.ts';
import { availableInMs } from './machine-conditions.ts';
import { nodeHealthyType, nodeReadyType } from './node.ts';

/** While the connection is down, the reconciler of the Cluster probes it, and a change of its condition is an event. */
const downMs = 15 * 60_000;
/** The same for a Machine that waits for its first Node, and for all Machines if Clusters are not probed. */
const shortDownMs = 5 * 60_000;

interface Requeuing {
  readonly conditions: readonly Condition[];
  /** The time of the last change of the phase, RFC 3339. */
  readonly lastUpdated: string | undefined;
}

/** Returns the milliseconds until each requested reconcile. Requests of the phases come first. */
export function requeuesOf(conclusion: MachineConclusion, requeuing: Requeuing): readonly number[] {
  const { machine, cluster, progress, now } = conclusion;
  const untilAvailable = availableInMs(machine, requeuing.conditions, now) ?? 0;
  return [
    ...progress.requeues,
    ...(untilAvailable > 0 ? [untilAvailable] : []),
    ...(cluster === undefined || isDeleting(machine) ? [] : nodeGaps({ ...conclusion, cluster }, requeuing)),
  ];
}

function nodeGaps(
  conclusion: MachineConclusion & { readonly cluster: Cluster },
  { conditions, lastUpdated }: Requeuing,
): readonly number[] {
  const { machine, cluster, lookup, connection, settings, now } = conclusion;
  const { remoteConditionsGracePeriodMs, resyncPeriodMs, nodePeriodMs, probesRemote } = settings;
  const options = { now, resyncPeriodMs };
  const hasNode = machine.status.nodeRef.name !== '';
  if (lookup.state === 'noProviderID' || lookup.state === 'failed' || lookup.state === 'aborted') {
    return [];
  }
  // The conditions change after the grace period, not at its end.
  const untilDown = lostSince(cluster, connection) + remoteConditionsGracePeriodMs + 1 - now;
  // Without providerID, the Cluster's condition reports the state of the connection.
  if (machine.spec.providerID === '') {
    return untilDown > 0 ? [untilDown] : [];
  }
  const isDown = lookup.state === 'notConnected';
  if (!hasNode && !(isDown && isProbeFailing(cluster, probesRemote))) {
    return [gapWithoutNodeMs(instantOf(lastUpdated) ?? now, options)];
  }
  const gap = hasNode ? gapWithNodeMs(conditions, [nodeReadyType, nodeHealthyType], options) : undefined;
  if (!isDown) {
    return [gap ?? nodePeriodMs].filter(ms => ms !== undefined);
  }
  const longest = Math.min(hasNode && probesRemote ? downMs : shortDownMs, resyncPeriodMs);
  return [untilDown > 0 ? untilDown : Math.max(...[gap, longest].filter(ms => ms !== undefined))];
}

/**
 * Returns true if a probe of the Cluster has failed after a connection, or for as long that the condition reports it.
 * Without probes, the failure of this pass counts.
 */
function isProbeFailing({ metadata, status }: Cluster, probesRemote: boolean): boolean {
  const probe = getCondition(status.conditions, remoteConnectionType);
  if (!probesRemote || probe === undefined) {
    return !probesRemote;
  }
  return probe.status === 'True'
    ? metadata.annotations[failingSinceAnnotation] !== undefined
    : probe.message !== neverConnectedMessage;
}
