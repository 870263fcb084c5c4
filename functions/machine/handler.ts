// The Lambda function of the Machine queue. Reads and writes of workload clusters share their clients.
import { loadedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { workloadClientsOf } from '../../shared/lambda/workload-clients-of.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { machineDeclaration } from './declaration.ts';
import { createMachineReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = await loadedHandler(machineDeclaration, async runtime => {
  const { config, clock } = runtime;
  const settings = await toSettings(config);
  const clients = workloadClientsOf(machineDeclaration, runtime);
  return {
    reconciler: () => createMachineReconciler(settings),
    ports: {
      hooks: ({ metrics }) => createHooks({ clock, metrics, settings: config.extensions }),
      workloadApi: () => clients.api,
    },
    workload: clients.writers,
  };
});
