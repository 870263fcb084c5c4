// The MachineDeployment reconciler with the production kernel and the in-memory API: MachineDeployment ns/md1 of Cluster c1,
// its templates it1 and bt1, and MachineSets ms1, ms2, … with Machines.

import {
  type ApiFailure,
  type JsonObject,
  type Kubernetes,
  type ObjectRef,
  type OwnerReference,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { createMachineDeploymentReconciler } from '../../../../functions/machinedeployment/reconciler.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { type FakeHooks, fakeHooks } from '../../../support/fake-hooks.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { type Built, ObjectBuilder } from '../../../support/object-builder.ts';
import { definitionOf } from '../../../support/provider-definitions.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const infraGroup = 'infrastructure.cluster.x-k8s.io';
const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
export const finalizer = 'cluster.x-k8s.io/machinedeployment';
const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const deploymentNameLabel = 'cluster.x-k8s.io/deployment-name';
const revisionAnnotation = 'machinedeployment.clusters.x-k8s.io/revision';
export const hashLabel = 'machine-template-hash';

const template = {
  group: infraGroup,
  contract: 'v1beta2',
  kind: 'FooMachineTemplate',
  spec: { template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
} as const;

const crds = [
  definitionOf(template),
  definitionOf({ ...template, group: bootstrapGroup, kind: 'FooConfigTemplate' }),
  definitionOf({ ...template, kind: 'FooMachine' }),
  definitionOf({
    group: 'controlplane.cluster.x-k8s.io',
    contract: 'v1beta2',
    kind: 'FooControlPlane',
    spec: { version: { type: 'string' } },
    status: { version: { type: 'string' } },
  }),
];

export class DeploymentTestObject extends ObjectBuilder {
  owners(...ownerReferences: readonly OwnerReference[]): this {
    return this.withMetadata({ ownerReferences });
  }

  onlyLabelled(labels: Readonly<Record<string, string>>): this {
    return this.withMetadata({ labels });
  }
}

function owner(kind: string, name: string, uid: string): OwnerReference {
  return { apiVersion: core, kind, name, uid };
}

const clusterOwner: OwnerReference = owner('Cluster', 'c1', 'u-c1');
const deploymentOwner = { ...owner('MachineDeployment', 'md1', 'u-md'), controller: true, blockOwnerDeletion: true };

export const selectorLabels = { [clusterNameLabel]: 'c1', [deploymentNameLabel]: 'md1' };

export const machineSpec = {
  clusterName: 'c1',
  version: 'v1.31.0',
  bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: 'FooConfigTemplate', name: 'bt1' } },
  infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachineTemplate', name: 'it1' },
} as const;

export const rolling = (maxSurge: unknown, maxUnavailable: unknown) => ({
  rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } },
});

export const deploymentSpec = {
  clusterName: 'c1',
  replicas: 3,
  selector: { matchLabels: selectorLabels },
  ...rolling(1, 0),
  template: { metadata: { labels: selectorLabels }, spec: machineSpec },
};

export const aCluster = new DeploymentTestObject({ apiVersion: core, kind: 'Cluster', name: 'c1' })
  .withUid('u-c1')
  .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } });

export const aMachineTemplate = new DeploymentTestObject({
  apiVersion: `${infraGroup}/v1beta2`,
  kind: 'FooMachineTemplate',
  name: 'it1',
})
  .owners(clusterOwner)
  .withSpec({ template: { spec: {} } });

export const aConfigTemplate = new DeploymentTestObject({
  apiVersion: `${bootstrapGroup}/v1beta2`,
  kind: 'FooConfigTemplate',
  name: 'bt1',
})
  .owners(clusterOwner)
  .withSpec({ template: { spec: {} } });

export function aNewDeployment(): DeploymentTestObject {
  return new DeploymentTestObject({ apiVersion: core, kind: 'MachineDeployment', name: 'md1' })
    .withUid('u-md')
    .labelled({ [clusterNameLabel]: 'c1' })
    .owners(clusterOwner)
    .withSpec(deploymentSpec);
}

/** With finalizer and Paused condition. */
export function aDeployment(spec: JsonObject = {}): DeploymentTestObject {
  return aNewDeployment()
    .withSpec(spec)
    .withFinalizers(finalizer)
    .withStatus({ observedGeneration: 1 })
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 });
}

export interface SetParts {
  readonly name?: string;
  readonly spec: number;
  readonly status?: number;
  readonly available?: number;
  readonly upToDate?: number;
  /** Another version than that of the deployment. */
  readonly isStale?: boolean;
  readonly revision?: string;
  readonly hash?: string;
}

/** A MachineSet with all counters equal to its replicas, and its Machines. */
export function aSet(
  number: number,
  parts: SetParts,
  change: (set: DeploymentTestObject) => DeploymentTestObject = same => same,
) {
  const { spec, isStale = false } = parts;
  const name = parts.name ?? `ms${number}`;
  const status = parts.status ?? spec;
  const available = parts.available ?? status;
  const upToDate = parts.upToDate ?? (isStale ? 0 : status);
  const hash = parts.hash ?? `1-${name}`;
  const labels = { ...selectorLabels, [hashLabel]: hash };
  const set = new DeploymentTestObject({ apiVersion: core, kind: 'MachineSet', name })
    .withUid(`u-${name}`)
    .labelled(labels)
    .annotated({ [revisionAnnotation]: parts.revision ?? String(number) })
    .owners(deploymentOwner)
    .withSpec({
      clusterName: 'c1',
      replicas: spec,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...machineSpec, ...(isStale ? { version: 'v1.30.0' } : {}) },
      },
    })
    .withStatus({
      observedGeneration: 1,
      replicas: status,
      availableReplicas: available,
      readyReplicas: available,
      upToDateReplicas: upToDate,
    });
  return [
    change(set),
    ...Array.from({ length: status }, (_, at) => aMachineOf(name, labels, { at, available, isStale })),
  ];
}

function aMachineOf(
  set: string,
  labels: Readonly<Record<string, string>>,
  { at, available, isStale }: { readonly at: number; readonly available: number; readonly isStale: boolean },
): DeploymentTestObject {
  return new DeploymentTestObject({ apiVersion: core, kind: 'Machine', name: `${set}-m${at + 1}` })
    .withUid(`u-${set}-m${at + 1}`)
    .labelled(labels)
    .owners({ ...owner('MachineSet', set, `u-${set}`), controller: true, blockOwnerDeletion: true })
    .withSpec({
      ...machineSpec,
      infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachine', name: `${set}-m${at + 1}` },
      bootstrap: { dataSecretName: 's' },
    })
    .withCondition('Available', { status: at < available ? 'True' : 'False' })
    .withCondition('Ready', { status: at < available ? 'True' : 'False', reason: 'X' })
    .withCondition('UpToDate', {
      status: isStale ? 'False' : 'True',
      ...(isStale ? { message: '* Version v1.30.0, v1.31.0 required' } : {}),
    });
}

export interface World {
  readonly api: MemoryApi;
  /** Reconciles once, with up to five passes. Returns the result as text. Default: the client that records calls. */
  reconcile(kubernetes?: Kubernetes): Promise<string>;
  /** Fails the next writes of this kind and name. */
  readonly ref: ObjectRef;
  deployment(): Unstructured;
  /** The replicas of each MachineSet by name. The random part of a name is `xxxxx`. */
  sets(): Readonly<Record<string, unknown>>;
  set(name: string): Unstructured;
  created(): Unstructured;
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
  events(): readonly string[];
  /** The writes since the last call, without bodies. */
  takeWrites(): readonly string[];
  failing(at: { readonly verb: string; readonly kind: string; readonly name?: string }, message?: string): void;
}

interface WorldParts {
  readonly deployment?: Built<Unstructured>;
  readonly cluster?: Built<Unstructured> | null;
  readonly templates?: readonly Built<Unstructured>[];
  readonly sets?: readonly (readonly Built<Unstructured>[])[];
  readonly updatesInPlace?: boolean;
  readonly hooks?: FakeHooks;
}

export async function aWorld(parts: WorldParts = {}): Promise<World> {
  const api = createMemoryApi({ crds, clock: new SteppedClock() });
  const ref = { apiVersion: core, kind: 'MachineDeployment', namespace: 'ns', name: 'md1' };
  const cluster = parts.cluster === undefined ? aCluster : parts.cluster;
  const before = [...(cluster === null ? [] : [cluster]), ...(parts.templates ?? [aMachineTemplate, aConfigTemplate])];
  api.given(...before, parts.deployment ?? aDeployment());
  for (const set of parts.sets ?? []) {
    // Sets that are given later are younger.
    await api.clock.advance(1000);
    api.given(...set);
  }
  await api.clock.advance(60_000);
  return toWorld(api, ref, parts);
}

function toWorld(api: MemoryApi, ref: ObjectRef, parts: WorldParts): World {
  const list = (kind: string): readonly Unstructured[] =>
    api.core.list(api.core.registry.endpointOfKind(kind === 'Event' ? 'v1' : core, kind), {}).items;
  const deployment = () => api.read(ref);
  const conditionsAt = (path: string) => valueAt(deployment().status as JsonObject, path);
  return {
    api,
    ref,
    async reconcile(kubernetes = api.kubernetes) {
      const { result } = await reconcile(
        {
          reconciler: createMachineDeploymentReconciler({ updatesInPlace: parts.updatesInPlace ?? false }),
          kubernetes,
          ports: { hooks: parts.hooks ?? fakeHooks() },
          clock: api.clock,
          signal: new AbortController().signal,
          log: aRecordingLog(),
          watchFilter: '',
        },
        ref,
      );
      return resultText(result);
    },
    deployment,
    sets: () =>
      Object.fromEntries(
        list('MachineSet').map(({ metadata, spec }) => [
          metadata.name.replace(/^(md1)-.{5}$/, '$1-xxxxx'),
          valueAt(spec as JsonObject, 'replicas'),
        ]),
      ),
    set: name => api.read({ apiVersion: core, kind: 'MachineSet', namespace: 'ns', name }),
    created() {
      const found = list('MachineSet').find(({ metadata }) => metadata.name.startsWith('md1-'));
      if (found === undefined) {
        throw new Error('No MachineSet was created');
      }
      return found;
    },
    condition: type => conditionText(conditionIn(conditionsAt('conditions'), type)),
    v1beta1: type => conditionText(conditionIn(conditionsAt('deprecated.v1beta1.conditions'), type)),
    events: () =>
      list('Event').map(
        ({ type, reason, message }) => `${type} ${reason} ${String(message).replace(/md1-[a-z0-9]{5}\b/, 'md1-xxxxx')}`,
      ),
    takeWrites() {
      const writes = api.calls.writes.map(line => line.replace(/ \{.*/s, ''));
      api.calls.reset();
      return writes;
    },
    failing: (at, message = 'boom') => failCalls(api, at, message),
  };
}

function failCalls(api: MemoryApi, { verb, kind, name }: Parameters<World['failing']>[0], message: string): void {
  const failure: ApiFailure = { reason: 'Forbidden', message };
  api.calls.fail({
    at: call =>
      call.verb === verb && call.kind === kind && (name === undefined || ('name' in call.of && call.of.name === name)),
    failure,
  });
}
