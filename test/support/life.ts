// A Cluster with all kinds of the simulated provider: infrastructure, control plane and a MachineDeployment.
import type { ObjectRef } from '../../packages/apimachinery/object.ts';
import { clusterRef } from './static-provider.ts';
import type { WorldClient } from './world-client.ts';

const namespace = 'default';
const infrastructureKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster' } as const;
const controlPlaneKind = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedControlPlane',
} as const;

/** All objects of `createLife`, the Cluster first. */
export function lifeRefs(name: string): readonly [cluster: ObjectRef, ...others: ObjectRef[]] {
  const deployment = { ...clusterRef(namespace, `${name}-md-0`), kind: 'MachineDeployment' };
  return [
    clusterRef(namespace, name),
    { ...infrastructureKind, namespace, name },
    { ...controlPlaneKind, namespace, name },
    deployment,
  ];
}

/** All objects have the same name in namespace `default`. All durations are zero. */
export async function createLife(client: WorldClient, name: string): Promise<void> {
  const metadata = { name, namespace };
  const quick = { provisionSeconds: 0, deletionSeconds: 0 };
  const created = await client.create({
    ...clusterRef(namespace, name),
    metadata,
    spec: {
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name },
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'SimulatedControlPlane', name },
    },
  });
  await client.create({
    ...infrastructureKind,
    metadata,
    spec: quick,
  });
  await client.create({
    ...controlPlaneKind,
    metadata,
    spec: { ...quick, version: 'v1.35.0', replicas: 1 },
  });
  const owner = { apiVersion: created.apiVersion, kind: 'Cluster', name, uid: created.metadata.uid };
  await client.create({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: {
      name: `${name}-md-0`,
      namespace,
      labels: { 'cluster.x-k8s.io/cluster-name': name },
      ownerReferences: [owner],
    },
    spec: {
      clusterName: name,
      selector: { matchLabels: { deployment: `${name}-md-0` } },
      template: {
        metadata: { labels: { deployment: `${name}-md-0` } },
        spec: {
          clusterName: name,
          bootstrap: { dataSecretName: 'none' },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'SimulatedMachineTemplate',
            name: 'none',
          },
        },
      },
    },
  });
}
