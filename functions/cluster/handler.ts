// The function behind the queue of Clusters.
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkload } from '../../shared/kubernetes/rest/workload.ts';
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { rememberProbes } from '../../shared/workload/remember.ts';
import { clusterDeclaration, createClusterReconciler } from './reconciler.ts';

export const handler = portedHandler(clusterDeclaration, ({ config, clock }) => ({
  reconciler: createClusterReconciler({
    honorsDeleteHook: config.featureGates.ClusterTopology && config.featureGates.RuntimeSDK,
    countsMachinePools: config.featureGates.MachinePool,
    probesRemote: config.remoteProbe === 'on-reconcile',
    remoteGracePeriodMs: config.remoteConnectionGracePeriodSeconds * 1000,
    resyncPeriodMs: config.resyncPeriodSeconds * 1000,
  }),
  ports: { signer: createSigner(), workload: rememberProbes(createWorkload({ userAgent }), clock) },
}));
