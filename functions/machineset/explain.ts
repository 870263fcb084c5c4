// The public interface of the MachineSet reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { whyOfMachineSet } from './plan-reasons.ts';
import { createMachineSetReconciler } from './reconciler.ts';
import { defaultSettings } from './settings.ts';
import { describeMachineSet } from './why/describe-set.ts';
import { waitOfMachineSet } from './why/set-waits.ts';

export const face = toFace({
  reconciler: createMachineSetReconciler({ ...defaultSettings, hasTopologies: true }),
  asReported: {},
  whyOf: whyOfMachineSet,
  waitOf: waitOfMachineSet,
  describe: describeMachineSet,
});
