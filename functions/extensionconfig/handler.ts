// The Lambda function of the ExtensionConfig queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { extensionConfigDeclaration } from './declaration.ts';
import { createExtensionConfigReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(extensionConfigDeclaration, {
  reconciler: ({ config }) => createExtensionConfigReconciler(toSettings(config)),
  ports: { hooks: ({ config, clock, metrics }) => createHooks({ clock, metrics, settings: config.extensions }) },
});
