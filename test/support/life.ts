// A Cluster with all kinds of the simulated provider: infrastructure, control plane and a MachineDeployment.

import type { ObjectRef } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { clusterRef } from './static-provider.ts';
import { phaseOf, type WorldClient } from './world-client.ts';

const namespace = 'default';
const infrastructureKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster' } as const;
const controlPlaneKind = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedControlPlane',
} as const;

/** All objects of `createLife`, the Cluster first. */
function lifeRefs(name: string): readonly [cluster: ObjectRef, ...others: ObjectRef[]] {
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
      replicas: 0,
      selector: { matchLabels: { deployment: `${name}-md-0` } },
      template: {
        metadata: { labels: { deployment: `${name}-md-0` } },
        spec: {
          clusterName: name,
          bootstrap: { dataSecretName: 'none' },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            // Not a template, so no template is missing.
            kind: 'SimulatedMachine',
            name: 'none',
          },
        },
      },
    },
  });
}

/** Creates the Cluster, waits until it is Provisioned, deletes it, and expects that nothing of it remains. */
export async function playLife(client: WorldClient, name: string): Promise<void> {
  const [cluster, ...others] = lifeRefs(name);
  await createLife(client, name);
  await client.until(cluster, object => phaseOf(object) === 'Provisioned');
  await client.remove(cluster);
  await client.until(cluster, object => object === undefined);
  for (const ref of others) {
    expect(await client.read(ref)).toBeUndefined();
  }
}
