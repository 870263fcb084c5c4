// The Lambda function of the Machine queue. Reads and writes of workload clusters share their clients.
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { loadedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { machineDeclaration } from './declaration.ts';
import { createMachineReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = await loadedHandler(machineDeclaration, async ({ config, clock }) => {
  const settings = await toSettings(config);
  const clients = createWorkloadClients({
    userAgent,
    clock,
    client: machineDeclaration.name,
    addresses: config.remoteAddresses,
  });
  return {
    reconciler: () => createMachineReconciler(settings),
    ports: {
      hooks: ({ metrics }) => createHooks({ clock, metrics, settings: config.extensions }),
      workloadApi: () => clients.api,
    },
    workload: clients.writers,
  };
});
