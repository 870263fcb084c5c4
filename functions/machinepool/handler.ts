// The Lambda function of the MachinePool queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { workloadClientsOf } from '../../shared/lambda/workload-clients-of.ts';
import { machinePoolDeclaration } from './declaration.ts';
import { machinePoolReconciler } from './reconciler.ts';

export const handler = portedHandler(machinePoolDeclaration, runtime => {
  const clients = workloadClientsOf(machinePoolDeclaration, runtime);
  return {
    reconciler: () => machinePoolReconciler,
    ports: { workloadApi: () => clients.api },
    workload: clients.writers,
  };
});
