// Computes status.phase: the state of the Cluster in one word, for users and old clients.

import { isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { type EventDraft, isDeleting } from '@capi-serverless/reconciler';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import type { Conclusion } from './conclude.ts';

const knownPhases: readonly string[] = ['Pending', 'Provisioning', 'Provisioned', 'Deleting', 'Failed'];

/** The last applicable line determines the phase. If none applies, the stored phase is kept. */
export function phaseOf({ scope, progress, endpoint }: Conclusion): string {
  const { cluster } = scope.seen;
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  if (isDeleting(cluster)) {
    return 'Deleting';
  }
  if (progress.infrastructureProvisioned && isValidEndpoint(endpoint)) {
    return 'Provisioned';
  }
  if (isDefined(infrastructureRef) || isDefined(controlPlaneRef)) {
    return 'Provisioning';
  }
  return cluster.status.phase === '' ? 'Pending' : cluster.status.phase;
}

/** Records one event per change of the phase. An unknown phase is treated as no phase. */
export function phaseEvents({ metadata, status }: Cluster, phase: string): readonly EventDraft[] {
  return toKnown(phase) === toKnown(status.phase)
    ? []
    : [{ type: 'Normal', reason: phase, message: `Cluster ${metadata.name} is ${phase}` }];
}

function toKnown(phase: string): string {
  return knownPhases.includes(phase) ? phase : 'Unknown';
}
