// The public interface of the MachineDeployment reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { whyOfMachineDeployment } from './plan-reasons.ts';
import { previewOfMachineDeployment } from './preview/observe-preview.ts';
import { createMachineDeploymentReconciler } from './reconciler.ts';
import { describeRollout } from './why/describe.ts';
import { waitOfMachineDeployment } from './why/waits.ts';

export const face = toFace({
  reconciler: createMachineDeploymentReconciler({ updatesInPlace: true }),
  asReported: { hooks: hooksThatAgree },
  whyOf: whyOfMachineDeployment,
  preview: previewOfMachineDeployment,
  waitOf: waitOfMachineDeployment,
  describe: (deployment, { reads }) => describeRollout(deployment, { reads, waitOf: waitOfMachineDeployment }),
  fromFiles: () => undefined,
});
