// Minimal managed topologies: a class with simulated infrastructure, a Cluster, and the conditions to wait for.

import {
  type Intent,
  type JsonObject,
  type ObjectRef,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { FakeAnswer } from '../../support/fake-hooks.ts';
import type { SimulatedUser } from '../system/user.ts';
import { aSecret, clusterRef, conditionOf, home, toIntent } from './workload.ts';

export interface ClassParts {
  /**
   * The names of the SimulatedMachineTemplates. Without a template for the control plane, its Machines are only
   * counted.
   */
  readonly worker?: string;
  readonly controlPlaneMachine?: string;
  /** Name of the SimulatedControlPlaneTemplate. */
  readonly controlPlane?: string;
}

export interface WorkerTopology {
  readonly name: string;
  readonly replicas: number;
  readonly metadata?: JsonObject;
  readonly healthCheck?: JsonObject;
}

const version = 'v1.35.0';
export const nextVersion = 'v1.36.0';

const extensionUrl = 'https://extension.example:8443';

export function classRef(name = 'class'): ObjectRef {
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: home, name };
}

export function aClass(name: string, parts: ClassParts = {}): Intent {
  return { ...toIntent(classRef(name)), spec: classSpec(parts) };
}

export function classSpec({ worker = 'worker', controlPlaneMachine, controlPlane = 'cp' }: ClassParts): JsonObject {
  const machines =
    controlPlaneMachine === undefined
      ? {}
      : { machineInfrastructure: { templateRef: machineTemplate(controlPlaneMachine) } };
  return {
    infrastructure: { templateRef: toTemplateRef('infrastructure', 'SimulatedCluster', 'infra') },
    controlPlane: { templateRef: toTemplateRef('controlplane', 'SimulatedControlPlane', controlPlane), ...machines },
    workers: {
      machineDeployments: [
        {
          class: 'worker',
          bootstrap: { templateRef: toTemplateRef('bootstrap', 'SimulatedBootstrapConfig', 'boot') },
          infrastructure: { templateRef: machineTemplate(worker) },
        },
      ],
    },
  };
}

/** The references of every class in these workloads. */
export function classTemplates(): readonly Intent[] {
  return [
    aTemplate('infrastructure', 'SimulatedCluster', 'infra'),
    aTemplate('controlplane', 'SimulatedControlPlane', 'cp'),
    aTemplate('bootstrap', 'SimulatedBootstrapConfig', 'boot'),
    aMachineTemplate('worker'),
  ];
}

export function aTemplate(group: string, kind: string, name: string, spec: JsonObject = {}): Intent {
  const { apiVersion, kind: templateKind } = toTemplateRef(group, kind, name);
  return { apiVersion, kind: templateKind, metadata: { name, namespace: home }, spec: { template: { spec } } };
}

export function aMachineTemplate(name: string, spec: JsonObject = {}): Intent {
  return aTemplate('infrastructure', 'SimulatedMachine', name, { provisionSeconds: 1, ...spec });
}

function machineTemplate(name: string) {
  return toTemplateRef('infrastructure', 'SimulatedMachine', name);
}

function toTemplateRef(group: string, kind: string, name: string) {
  return { apiVersion: `${group}.cluster.x-k8s.io/v1beta2`, kind: `${kind}Template`, name };
}

/**
 * Cluster `c1` of the class in creation order. The first object is the kubeconfig that its control plane would create.
 */
export function aManagedCluster(workers: readonly WorkerTopology[]): readonly Intent[] {
  const topology = { classRef: { name: 'class' }, version, controlPlane: { replicas: 1 }, ...workersOf(workers) };
  const spec = { clusterNetwork: { serviceDomain: 'cluster.local' }, topology };
  return [aSecret('c1-kubeconfig', 'value'), { ...toIntent(clusterRef()), spec }];
}

export function workersOf(workers: readonly WorkerTopology[]): JsonObject {
  return { workers: { machineDeployments: workers.map(worker => ({ class: 'worker', ...worker })) } };
}

export function patchTopology(user: SimulatedUser, topology: JsonObject): Promise<void> {
  return user.patch(clusterRef(), { spec: { topology } });
}

/** The hooks of extension `ext`, with one handler each. They never block. */
export function anExtension(user: SimulatedUser, hooks: readonly string[]): Intent {
  for (const hook of hooks) {
    answerHook(user, hook);
  }
  const apiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
  const handlers = hooks.map(hook => ({
    name: `${hook.toLowerCase()}.ext`,
    requestHook: { apiVersion, hook },
    timeoutSeconds: 5,
    failurePolicy: 'Fail',
  }));
  const discovered = {
    ...{ type: 'Discovered', status: 'True', reason: 'Discovered', message: '' },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    metadata: { name: 'ext' },
    spec: { clientConfig: { url: extensionUrl }, namespaceSelector: {} },
    status: { handlers, conditions: [discovered] },
  };
}

/** Changes the retryAfterSeconds of this hook. 0 means that it does not block. */
export function answerHook(user: SimulatedUser, hook: string, retryAfterSeconds = 0): void {
  const answer: FakeAnswer = { body: { status: 'Success', message: '', retryAfterSeconds } };
  const name = hook.toLowerCase();
  user.serve(extensionUrl, answer, `${name}/${name}`);
}

export function untilReason(user: SimulatedUser, reason: string): Promise<void> {
  return user.until(
    `TopologyReconciled to say ${reason}`,
    clusterRef(),
    cluster => conditionIn(cluster, 'TopologyReconciled')?.['reason'] === reason,
  );
}

/** Returns true if the Cluster and its Machines match the topology. */
export async function untilReconciled(user: SimulatedUser): Promise<void> {
  await user.until('a reconciled topology', clusterRef(), isReconciled);
  await user.untilAll('workers as wanted', 'MachineDeployment', deployments => deployments.every(isAsWanted));
  await user.untilAll(
    'a control plane as wanted',
    'SimulatedControlPlane',
    planes => planes.length === 1 && planes.every(isAsWanted),
  );
}

function isReconciled(cluster: Unstructured | undefined): boolean {
  const condition = conditionIn(cluster, 'TopologyReconciled');
  return condition?.['status'] === 'True' && condition['observedGeneration'] === cluster?.metadata.generation;
}

function isAsWanted(object: Unstructured): boolean {
  const { metadata, spec, status } = object;
  const wanted = valueAt(spec, 'replicas') ?? 1;
  const counts = ['replicas', 'readyReplicas', 'upToDateReplicas'].map(each => valueAt(status, each) ?? 0);
  const seen = valueAt(status, 'observedGeneration') ?? metadata.generation;
  return seen === metadata.generation && counts.every(count => count === wanted);
}

function conditionIn(object: Unstructured | undefined, type: string): JsonObject | undefined {
  const conditions = valueAt(object?.status, 'conditions') as readonly JsonObject[] | undefined; // true: all these kinds define it in this form
  return conditions?.find(condition => condition['type'] === type);
}

/** The class's reconciler has observed its current generation. */
export function untilClassReady(user: SimulatedUser, name = 'class'): Promise<void> {
  return user.until(
    'a reconciled class',
    classRef(name),
    object =>
      conditionOf(object, 'VariablesReady') === 'True' &&
      valueAt(object?.status, 'observedGeneration') === object?.metadata.generation,
  );
}
