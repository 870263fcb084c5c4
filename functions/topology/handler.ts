// The Lambda function of the queue for managed topologies.
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadNodes } from '../../shared/kubernetes/rest/workload-nodes.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { topologyDeclaration } from './declaration.ts';
import { createTopologyReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(topologyDeclaration, {
  reconciler: ({ config }) => createTopologyReconciler(toSettings(config)),
  ports: {
    hooks: ({ config, clock, metrics }) => createHooks({ clock, metrics, settings: config.extensions }),
    nodes: ({ config }) => createWorkloadNodes({ userAgent, addresses: config.remoteAddresses }),
  },
});
