// The Lambda function of the ClusterResourceSet queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { workloadClientsOf } from '../../shared/lambda/workload-clients-of.ts';
import { clusterResourceSetDeclaration } from './declaration.ts';
import { clusterResourceSetReconciler } from './reconciler.ts';

export const handler = portedHandler(clusterResourceSetDeclaration, runtime => {
  const clients = workloadClientsOf(clusterResourceSetDeclaration, runtime);
  return {
    reconciler: () => clusterResourceSetReconciler,
    ports: { workloadApi: () => clients.api },
    workload: clients.writers,
  };
});
