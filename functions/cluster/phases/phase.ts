// status.phase: one word for where the Cluster stands, for people and old clients.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import { isValidEndpoint } from '../../../shared/contract/endpoint.ts';
import type { EventDraft } from '../../../shared/kernel/types.ts';
import { isDeleting } from './gate.ts';
import type { Progress } from './scope.ts';

const knownPhases: readonly string[] = ['Pending', 'Provisioning', 'Provisioned', 'Deleting', 'Failed'];

/** The last line that applies counts; a stored phase stays while none does. */
export function phaseOf(cluster: Cluster, { infrastructureProvisioned, endpoint }: Progress): string {
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  if (isDeleting(cluster)) {
    return 'Deleting';
  }
  if (infrastructureProvisioned && isValidEndpoint(endpoint)) {
    return 'Provisioned';
  }
  if (isDefined(infrastructureRef) || isDefined(controlPlaneRef)) {
    return 'Provisioning';
  }
  return cluster.status.phase === '' ? 'Pending' : cluster.status.phase;
}

/** One event per change of the phase; a phase nobody knows counts as none. */
export function phaseEvents({ metadata, status }: Cluster, phase: string): readonly EventDraft[] {
  return toKnown(phase) === toKnown(status.phase)
    ? []
    : [{ type: 'Normal', reason: phase, message: `Cluster ${metadata.name} is ${phase}` }];
}

function toKnown(phase: string): string {
  return knownPhases.includes(phase) ? phase : 'Unknown';
}
