// The Lambda function of the Cluster queue.
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkload } from '../../shared/kubernetes/rest/workload.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { rememberProbes } from '../../shared/workload/remember.ts';
import { clusterDeclaration } from './declaration.ts';
import { createClusterReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(clusterDeclaration, {
  reconciler: ({ config }) => createClusterReconciler(toSettings(config)),
  ports: {
    signer: createSigner,
    workload: ({ config, clock }) =>
      rememberProbes(createWorkload({ userAgent, addresses: config.remoteAddresses }), clock),
  },
});
