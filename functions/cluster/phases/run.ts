// Runs the phases of one pass in order. All of them run, even if an earlier one failed; each works on what is in scope.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { Instant } from '../../../shared/api/object.ts';
import type { Outcomes } from '../../../shared/kernel/types.ts';
import type { WholeView } from '../seen.ts';
import { controlPlanePhase } from './control-plane.ts';
import { deletePhase } from './deletion.ts';
import { descendantsPhase, toDescendants } from './descendants.ts';
import { endpointPhase } from './endpoint.ts';
import { toScoped } from './external.ts';
import { isDeleting } from './gate.ts';
import { infrastructurePhase } from './infrastructure.ts';
import { initializedPhase } from './initialized.ts';
import { kubeconfigPhase } from './kubeconfig.ts';
import { remoteConnectionPhase } from './remote-connection.ts';
import type { Phase, PhaseContext, Progress } from './scope.ts';

const usualPhases: readonly Phase[] = [
  infrastructurePhase,
  controlPlanePhase,
  descendantsPhase,
  kubeconfigPhase,
  initializedPhase,
  endpointPhase,
  remoteConnectionPhase,
];
const deletePhases: readonly Phase[] = [
  infrastructurePhase,
  controlPlanePhase,
  descendantsPhase,
  deletePhase,
  endpointPhase,
];

export interface Phases {
  readonly context: PhaseContext;
  readonly progress: Progress;
}

/** What the phases make of the Cluster, given what the writes of this pass have met so far. */
export function runPhases(seen: WholeView, outcomes: Outcomes, now: Instant): Phases {
  const { cluster } = seen;
  const given = { cluster, outcomes };
  const context: PhaseContext = {
    seen,
    outcomes,
    now,
    infrastructure: toScoped('infrastructure', seen.infrastructure, given),
    controlPlane: toScoped('controlPlane', seen.controlPlane, given),
    descendants: toDescendants(seen.lists, cluster),
  };
  const start = startOf(cluster);
  return { context, progress: phasesOf(seen).reduce((progress, phase) => phase(context, progress), start) };
}

function phasesOf({ step, cluster }: WholeView): readonly Phase[] {
  if (step === 'topologyWait') {
    return [];
  }
  return isDeleting(cluster) ? deletePhases : usualPhases;
}

function startOf({ spec, status }: Cluster): Progress {
  return {
    endpoint: spec.controlPlaneEndpoint,
    ...status.initialization,
    failureDomains: undefined,
    failure: {},
    v1beta1: status.deprecated.v1beta1.conditions,
    deleting: { reason: '', message: '' },
    errors: [],
    requeues: [],
    events: [],
  };
}
