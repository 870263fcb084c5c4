// The Lambda function of the ExtensionConfig queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { extensionConfigDeclaration } from './declaration.ts';
import { createExtensionConfigReconciler } from './reconciler.ts';

export const handler = portedHandler(extensionConfigDeclaration, {
  reconciler: ({ config }) => createExtensionConfigReconciler({ runtimeSdk: config.featureGates.RuntimeSDK }),
  ports: { hooks: ({ config, clock, metrics }) => createHooks({ clock, metrics, settings: config.extensions }) },
});
