// The Lambda function of the MachinePool queue.
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machinePoolDeclaration } from './declaration.ts';
import { machinePoolReconciler } from './reconciler.ts';

export const handler = portedHandler(machinePoolDeclaration, ({ config, clock }) => {
  const clients = createWorkloadClients({
    userAgent,
    clock,
    client: machinePoolDeclaration.name,
    addresses: config.remoteAddresses,
  });
  return {
    reconciler: () => machinePoolReconciler,
    ports: { workloadApi: () => clients.api },
    workload: clients.writers,
  };
});
