// The Lambda function of the ClusterResourceSet queue.
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { clusterResourceSetDeclaration } from './declaration.ts';
import { clusterResourceSetReconciler } from './reconciler.ts';

export const handler = portedHandler(clusterResourceSetDeclaration, ({ config, clock }) => {
  const clients = createWorkloadClients({
    userAgent,
    clock,
    client: clusterResourceSetDeclaration.name,
    addresses: config.remoteAddresses,
  });
  return {
    reconciler: () => clusterResourceSetReconciler,
    ports: { workloadApi: () => clients.api },
    workload: clients.writers,
  };
});
