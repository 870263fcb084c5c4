// A provider kind without a controller: tests write its objects.
import { groupOf, type Intent } from '@capi-serverless/apimachinery';

export const staticClusterKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'StaticCluster' } as const;

/** Any fields are allowed. */
function aStaticCrd(group: string, kind: string): Intent {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular, listKind: `${kind}List` },
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
}

export const staticClusterCrd = aStaticCrd('infrastructure.cluster.x-k8s.io', 'StaticCluster');

export const staticMachineKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'StaticMachine' } as const;
export const staticConfigKind = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1', kind: 'StaticConfig' } as const;

export const staticMachineCrds: readonly Intent[] = [
  aStaticCrd('infrastructure.cluster.x-k8s.io', staticMachineKind.kind),
  aStaticCrd('bootstrap.cluster.x-k8s.io', staticConfigKind.kind),
];

export const staticPoolKind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'StaticMachinePool' } as const;

export const staticPoolCrd = aStaticCrd('infrastructure.cluster.x-k8s.io', staticPoolKind.kind);

/** The infrastructure and the bootstrap configuration of Machines that a MachineSet creates. */
export const staticTemplateKinds = [staticMachineKind, staticConfigKind] as const;

export const staticTemplateCrds: readonly Intent[] = staticTemplateKinds.flatMap(({ apiVersion, kind }) =>
  ['', 'Template'].map(suffix => aStaticCrd(groupOf(apiVersion), `${kind}${suffix}`)),
);

export const staticControlPlaneKind = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1',
  kind: 'StaticControlPlane',
} as const;

export const staticControlPlaneCrd = aStaticCrd('controlplane.cluster.x-k8s.io', staticControlPlaneKind.kind);

/** A request for an external remediation. */
export const staticRemediationKind = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
  kind: 'StaticRemediation',
} as const;

export const staticRemediationCrds: readonly Intent[] = ['', 'Template'].map(suffix =>
  aStaticCrd('infrastructure.cluster.x-k8s.io', `${staticRemediationKind.kind}${suffix}`),
);

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
