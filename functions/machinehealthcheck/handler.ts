// The Lambda function of the MachineHealthCheck queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { workloadClientsOf } from '../../shared/lambda/workload-clients-of.ts';
import { machineHealthCheckDeclaration } from './declaration.ts';
import { machineHealthCheckReconciler } from './reconciler.ts';

export const handler = portedHandler(machineHealthCheckDeclaration, runtime => {
  const clients = workloadClientsOf(machineHealthCheckDeclaration, runtime);
  return { reconciler: () => machineHealthCheckReconciler, ports: { workloadApi: () => clients.api } };
});
