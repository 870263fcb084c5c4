// The Lambda function of the ClusterClass queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { clusterClassDeclaration } from './declaration.ts';
import { createClusterClassReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(clusterClassDeclaration, {
  reconciler: ({ config }) => createClusterClassReconciler(toSettings(config)),
  ports: { hooks: ({ config, clock, metrics }) => createHooks({ clock, metrics, settings: config.extensions }) },
});
