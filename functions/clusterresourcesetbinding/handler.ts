// The Lambda function of the ClusterResourceSetBinding queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { clusterResourceSetBindingDeclaration } from './declaration.ts';
import { createBindingReconciler } from './reconciler.ts';

export const handler = portedHandler(clusterResourceSetBindingDeclaration, {
  reconciler: ({ config: { featureGates } }) =>
    createBindingReconciler(featureGates.ClusterTopology && featureGates.RuntimeSDK),
  ports: {},
});
