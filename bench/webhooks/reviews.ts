// Reviews of the webhooks that are measured. None of them needs a read, so that both subjects answer without a server.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { type HookKind, hookPath } from '../../shared/admission/hooks.ts';
import { conversionPath } from '../../shared/conversion/review-request.ts';

export interface MeasuredReview {
  readonly figure: string;
  readonly function: 'admission' | 'conversion';
  readonly path: string;
  readonly body: JsonObject;
}

const group = 'cluster.x-k8s.io';
const apiVersion = `${group}/v1beta2`;
const metadata = { name: 'bench', namespace: 'default', labels: { [`${group}/cluster-name`]: 'bench' } };
const dataSecretName = 'bench';
const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'BenchMachine', name: 'bench' };
const machine = { clusterName: 'bench', version: 'v1.34.1', bootstrap: { dataSecretName }, infrastructureRef };
const matchLabels = { [`${group}/cluster-name`]: 'bench', [`${group}/deployment-name`]: 'bench' };
const template = { metadata: { labels: matchLabels }, spec: machine };
const objects: Readonly<Record<string, JsonObject>> = {
  Cluster: { infrastructureRef: { apiGroup: infrastructureRef.apiGroup, kind: 'BenchCluster', name: 'bench' } },
  Machine: machine,
  MachineDeployment: { clusterName: 'bench', replicas: 3, selector: { matchLabels }, template },
  MachineHealthCheck: {
    clusterName: 'bench',
    selector: { matchLabels },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }] },
  },
};

/** Creates of valid objects, and the conversion of a Machine to the stored version. */
export const measuredReviews: readonly MeasuredReview[] = [
  ...Object.entries(objects).flatMap(([kind, spec]) =>
    (['mutate', 'validate'] as const).map(hook => aReview(hook, { apiVersion, kind, metadata, spec })),
  ),
  {
    figure: 'Machine: conversion to v1beta2',
    function: 'conversion',
    path: conversionPath,
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: {
        uid: 'bench',
        desiredAPIVersion: apiVersion,
        objects: [
          {
            apiVersion: `${group}/v1beta1`,
            kind: 'Machine',
            metadata,
            spec: {
              ...{ clusterName: 'bench', version: 'v1.34.1', bootstrap: { dataSecretName }, nodeDrainTimeout: '5m0s' },
              infrastructureRef: {
                apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
                kind: 'BenchMachine',
                name: 'bench',
              },
            },
          },
        ],
      },
    },
  },
];

function aReview(hook: HookKind, object: JsonObject & { readonly kind: string }): MeasuredReview {
  const { kind } = object;
  return {
    figure: `${kind}: ${hook === 'mutate' ? 'defaults' : 'validation'}`,
    function: 'admission',
    path: hookPath(hook, { group, kind }),
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'bench',
        kind: { group, version: 'v1beta2', kind },
        resource: { group, version: 'v1beta2', resource: `${kind.toLowerCase()}s` },
        operation: 'CREATE',
        ...metadata,
        userInfo: { username: 'bench' },
        object,
        oldObject: null,
        dryRun: false,
      },
    },
  };
}
