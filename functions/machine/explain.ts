// The public interface of the Machine reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { whyOfMachine } from './plan-reasons.ts';
import { previewOfMachine } from './preview/observe-preview.ts';
import { createMachineReconciler } from './reconciler.ts';
import { defaultSettings } from './settings.ts';
import { describeMachine } from './why/describe.ts';
import { waitOfMachine } from './why/waits.ts';

export const face = toFace({
  reconciler: createMachineReconciler({ ...defaultSettings, updatesInPlace: true }),
  asReported: { hooks: hooksThatAgree, workloadApi: workloadApiAsReported },
  whyOf: whyOfMachine,
  preview: previewOfMachine,
  waitOf: waitOfMachine,
  describe: describeMachine,
});
