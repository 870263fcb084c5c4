// The function behind the queue of ExtensionConfigs.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/client.ts';
import { createExtensionConfigReconciler, extensionConfigDeclaration } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(extensionConfigDeclaration, ({ config, clock, metrics }) => ({
  reconciler: createExtensionConfigReconciler(toSettings(config)),
  ports: { hooks: createHooks({ clock, metrics, settings: config.extensions }) },
}));
