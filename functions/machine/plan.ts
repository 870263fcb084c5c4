// The plan of one pass over a Machine, derived from the objects that were read. Both the actions and the report use it.
import { concluded, inOrder, patchProblem } from '@capi-serverless/reconciler';
import { certificateExpiryPhase } from './phases/certificate-expiry.ts';
import { externalsPhase } from './phases/externals.ts';
import { firstFailuresPhase, storeFailuresId } from './phases/first-failures.ts';
import { nodePhase } from './phases/node/node-phase.ts';
import { outagePhase } from './phases/node/report-outage.ts';
import { ownMetadataPhase, patchMachineId } from './phases/own-metadata.ts';
import type { MachinePhase } from './phases/pass-progress.ts';
import type { MachineScope } from './phases/scope.ts';

/** The phases of a pass in order. A phase that does not apply writes and concludes nothing. */
const phases: readonly ((scope: MachineScope) => MachinePhase)[] = [
  outagePhase,
  externalsPhase,
  ownMetadataPhase,
  nodePhase,
  certificateExpiryPhase,
  // Observe runs the next two plans, because they ask: phases/deletion/plan-deletion.ts and phases/update/in-place-update.ts.
  ({ deletion = concluded() }) => deletion,
  ({ update }) => update,
  firstFailuresPhase,
  ownPatchesPhase,
];

/** The plan assumes that every write succeeds. Each step also contains the result for a failed write. */
export interface MachinePlan extends MachinePhase {
  readonly scope: MachineScope;
}

export function plan(scope: MachineScope): MachinePlan {
  return { scope, ...inOrder(phases.map(phase => phase(scope))) };
}

/**
 * The errors of the patches of the Machine itself. They follow all others, because upstream patches the Machine last.
 */
function ownPatchesPhase({ machine }: MachineScope): MachinePhase {
  const problem = patchProblem(machine.object);
  return {
    actions: [],
    steps: [patchMachineId, storeFailuresId].map(id => ({ change: {}, needs: [{ id, problem }] })),
  };
}
