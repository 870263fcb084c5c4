// The Lambda function of the MachineHealthCheck queue.
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machineHealthCheckDeclaration } from './declaration.ts';
import { machineHealthCheckReconciler } from './reconciler.ts';

export const handler = portedHandler(machineHealthCheckDeclaration, ({ config, clock }) => {
  const clients = createWorkloadClients({
    userAgent,
    clock,
    client: machineHealthCheckDeclaration.name,
    addresses: config.remoteAddresses,
  });
  return { reconciler: () => machineHealthCheckReconciler, ports: { workloadApi: () => clients.api } };
});
