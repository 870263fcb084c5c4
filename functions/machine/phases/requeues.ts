// The time of the next reconcile of a Machine. Without a watch of Nodes, a timer requests it.
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { Condition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { availableInMs } from '../conditions/machine-available.ts';
import { nodeHealthyType, nodeReadyType } from '../conditions/node.ts';
import type { MachineConclusion } from './conclude.ts';
import { isDeleting } from './machine-gate.ts';
import { lostSince } from './node/connection.ts';
import { nextLookAtNodeMs, nextLookForNodeMs } from './node/next-look.ts';

/** While the connection is down, the reconciler of the Cluster probes it, and a change of its condition is an event. */
const downMs = 15 * 60_000;

interface Looking {
  readonly conditions: readonly Condition[];
  /** The time of the last change of the phase, RFC 3339. */
  readonly lastUpdated: string | undefined;
  readonly resyncPeriodMs: number;
  /** `undefined`: no timer for a healthy Node. */
  readonly nodePeriodMs: number | undefined;
}

/** Returns the milliseconds until each requested look. Requests of the phases come first. */
export function requeuesOf(conclusion: MachineConclusion, looking: Looking): readonly number[] {
  const { machine, cluster, progress, now } = conclusion;
  const untilAvailable = availableInMs(machine, looking.conditions, now) ?? 0;
  return [
    ...progress.requeues,
    ...(untilAvailable > 0 ? [untilAvailable] : []),
    ...(cluster === undefined || isDeleting(machine) ? [] : looksForNode({ ...conclusion, cluster }, looking)),
  ];
}

function looksForNode(
  conclusion: MachineConclusion & { readonly cluster: Cluster },
  { conditions, lastUpdated, resyncPeriodMs, nodePeriodMs }: Looking,
): readonly number[] {
  const { machine, cluster, lookup, connection, remoteConditionsGracePeriodMs, now } = conclusion;
  const options = { now, resyncPeriodMs };
  const hasNode = machine.status.nodeRef.name !== '';
  if (lookup.state === 'noProviderID' || lookup.state === 'failed') {
    return [];
  }
  // The conditions change after the grace period, not at its end.
  const untilDown = lostSince(cluster, connection) + remoteConditionsGracePeriodMs + 1 - now;
  // Without providerID, the Cluster's condition reports the state of the connection.
  if (machine.spec.providerID === '') {
    return untilDown > 0 ? [untilDown] : [];
  }
  if (!hasNode) {
    return [nextLookForNodeMs(instantOf(lastUpdated) ?? now, options)];
  }
  const look = nextLookAtNodeMs(conditions, [nodeReadyType, nodeHealthyType], options);
  if (lookup.state !== 'notConnected') {
    return [look ?? nodePeriodMs].filter(ms => ms !== undefined);
  }
  return [
    untilDown > 0 ? untilDown : Math.max(...[look, Math.min(downMs, resyncPeriodMs)].filter(ms => ms !== undefined)),
  ];
}
