// The public interface of the ExtensionConfig reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { hooksAsReported } from './discovery-as-reported.ts';
import { whyOfExtensionConfig } from './plan-reasons.ts';
import { createExtensionConfigReconciler } from './reconciler.ts';
import { describeExtension, waitOfExtension } from './why.ts';

export const face = toFace({
  reconciler: createExtensionConfigReconciler({ runtimeSdk: true }),
  asReported: { hooks: hooksAsReported },
  whyOf: whyOfExtensionConfig,
  waitOf: waitOfExtension,
  describe: describeExtension,
});
