// The Cluster of the measured Machines. Its workload cluster is the API server itself.
import { groupOf, type Intent, toRecord } from '@capi-serverless/apimachinery';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  staticClusterCrd,
  staticControlPlaneCrd,
  staticControlPlaneKind,
  staticTemplateCrds,
} from '../../test/support/static-provider.ts';
import { conditionOf } from '../../test/support/world-client.ts';
import { ObjectWatch } from '../subjects/object-watch.ts';
import type { RunningSubject } from '../subjects/running-subject.ts';
import { namespace } from '../subjects/workload.ts';

export const clusterName = 'c1';
export const clusterLabels = { 'cluster.x-k8s.io/cluster-name': clusterName } as const;

/** The kinds of the provider of the bench. */
export const providerCrds: readonly Intent[] = [staticClusterCrd, staticControlPlaneCrd, ...staticTemplateCrds];

/** Its minor version is not older than that of any Machine. */
const controlPlaneVersion = 'v1.35.0';

const controlPlane: Intent = {
  ...staticControlPlaneKind,
  metadata: { namespace, name: clusterName },
  spec: { replicas: 1, version: controlPlaneVersion },
  status: {
    initialization: { controlPlaneInitialized: true },
    // Without control plane Machines, Nodes of workers are only deleted if the control plane is managed externally.
    externalManagedControlPlane: true,
    replicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    upToDateReplicas: 1,
    version: controlPlaneVersion,
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'Available',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};

function aKubeconfigSecret(kubeconfig: string): Intent {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    metadata: { namespace, name: `${clusterName}-kubeconfig`, labels: clusterLabels },
    data: { value: Buffer.from(kubeconfig).toString('base64') },
  };
}

/**
 * Resolves when the subject is connected to the workload cluster. The subject has the same user there, so the log of
 * requests includes those to the workload cluster.
 */
export async function createOwningCluster(running: RunningSubject): Promise<void> {
  const { client, controlPlane: plane, subject, say } = running;
  say('creating a Cluster that is its own workload cluster');
  const watch = await ObjectWatch.start(client, [
    { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace },
  ]);
  try {
    await client.create(aKubeconfigSecret(plane.kubeconfig(subject.user)));
    await client.create(aProvisionedStaticCluster(namespace, clusterName));
    await client.create(controlPlane);
    const cluster = aStaticallyProvidedCluster(namespace, clusterName);
    const { apiVersion, kind } = staticControlPlaneKind;
    const controlPlaneRef = { apiGroup: groupOf(apiVersion), kind, name: clusterName };
    await client.create({ ...cluster, spec: { ...toRecord(cluster['spec']), controlPlaneRef } });
    const seen = () => watch.objects.get(`Cluster/${clusterName}`);
    await running.within(
      'the condition RemoteConnectionProbe of the Cluster',
      watch.until(() => conditionOf(seen(), 'RemoteConnectionProbe') === 'True'),
      { state: () => `last seen: ${JSON.stringify(seen()?.status)}` },
    );
  } finally {
    watch.stop();
  }
}
