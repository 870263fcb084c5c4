// A provider kind without a controller: tests write its objects.
import type { Intent } from '../../packages/apimachinery/object.ts';

export const staticClusterKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'StaticCluster' } as const;

export const staticClusterCrd: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'staticclusters.infrastructure.cluster.x-k8s.io',
    labels: { 'cluster.x-k8s.io/v1beta2': 'v1' },
  },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: {
      kind: 'StaticCluster',
      plural: 'staticclusters',
      singular: 'staticcluster',
      listKind: 'StaticClusterList',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
    ],
  },
};

/** Infrastructure that is already provisioned, with an endpoint. */
export function aProvisionedStaticCluster(
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Intent {
  return {
    ...staticClusterKind,
    metadata: { namespace, name, labels },
    spec: { controlPlaneEndpoint: { host: `${name}.example`, port: 6443 } },
    status: {
      initialization: { provisioned: true },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  };
}

/** A Cluster with this infrastructure, without other objects. */
export function aStaticallyProvidedCluster(
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Intent {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace, name, labels },
    spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'StaticCluster', name } },
  };
}

export const clusterRef = (namespace: string, name: string) =>
  ({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, name }) as const;
