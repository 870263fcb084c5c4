// The errors of the patches of the Machine itself. They follow all others, because upstream patches the Machine last.
import { patchProblem } from '@capi-serverless/reconciler';
import { storeFailuresId } from './first-failures.ts';
import { patchMachineId } from './own-metadata.ts';
import type { MachinePhase } from './pass-progress.ts';
import type { MachineScope } from './scope.ts';

export function ownPatchesPhase({ machine }: MachineScope): MachinePhase {
  const problem = patchProblem(machine.object);
  return {
    actions: [],
    steps: [patchMachineId, storeFailuresId].map(id => ({ change: {}, needs: [{ id, problem }] })),
  };
}
