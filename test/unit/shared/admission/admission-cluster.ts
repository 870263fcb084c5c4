// A Cluster `ns/c` of ClusterClass `cc`, and the result of admission.

import { type JsonObject, printFieldError, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { admitCluster } from '../../../../shared/admission/cluster.ts';
import type { Progress } from '../../../../shared/admission/version-change.ts';

const gates = { clusterTopology: true, taintPropagation: true };

const templateOf = (kind: string): object => ({
  templateRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind, name: 't' },
});
export const machines = templateOf('AMachineTemplate');

export function aWorkerClass(name: string, rest: JsonObject = {}): JsonObject {
  return { class: name, bootstrap: templateOf('AConfigTemplate'), infrastructure: machines, ...rest };
}

export const classSpec = {
  infrastructure: templateOf('AClusterTemplate'),
  controlPlane: { ...templateOf('AControlPlaneTemplate'), machineInfrastructure: machines },
  workers: { machineDeployments: [aWorkerClass('worker')], machinePools: [aWorkerClass('pool')] },
};

const reconciled = { observedGeneration: 1, conditions: [{ type: 'VariablesReady', status: 'True' }] };

export function aClass(spec: JsonObject = {}, status: JsonObject = {}, name = 'cc'): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'ClusterClass',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', generation: 1 },
    spec: { ...classSpec, ...spec },
    status: { ...reconciled, ...status },
  };
}

export function aCluster(spec: JsonObject, metadata: JsonObject = {}): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '1', ...metadata },
    spec,
  };
}

export function managed(topology: JsonObject = {}, metadata: JsonObject = {}): Unstructured {
  return aCluster({ topology: { classRef: { name: 'cc' }, version: 'v1.36.0', ...topology } }, metadata);
}

export const deployments = (...machineDeployments: readonly JsonObject[]): JsonObject => ({
  workers: { machineDeployments },
});
export const pools = (...machinePools: readonly JsonObject[]): JsonObject => ({ workers: { machinePools } });

/** All parts run v1.36.0. */
export const settled: Progress = {
  controlPlane: valid({
    apiVersion: 'controlplane.cluster.x-k8s.io/v1',
    kind: 'AControlPlane',
    metadata: { name: 'cp', namespace: 'ns', uid: 'cp', resourceVersion: '1' },
    spec: { version: 'v1.36.0' },
    status: { version: 'v1.36.0' },
  }),
  machineDeployments: [],
  machines: [],
  machinePools: [],
};

export interface AdmissionInput {
  readonly old?: Unstructured;
  readonly classes?: readonly Unstructured[];
  readonly progress?: Partial<Progress>;
  readonly gates?: Partial<typeof gates>;
}

export function judge(cluster: Unstructured, { old, classes = [aClass()], progress, ...rest }: AdmissionInput = {}) {
  return admitCluster({
    cluster,
    old,
    gates: { ...gates, ...rest.gates },
    findClass: ({ namespace, name }) =>
      classes.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    progressOf: () => ({ ...settled, ...progress }),
  });
}

/** Returns the printed problems. Empty if the Cluster is admitted. */
export function reported(cluster: Unstructured, input: AdmissionInput = {}): readonly string[] {
  const verdict = judge(cluster, input);
  return verdict.admitted ? [] : verdict.errors.map(printFieldError);
}
