// The MachineSet reconciler with the production kernel and the in-memory API: MachineSet ns/ms1 of Cluster c1, its templates
// it1 and bt1, and Machines m1, m2, … with their objects.

import {
  type ApiFailure,
  type JsonObject,
  type ObjectRef,
  type OwnerReference,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { createMachineSetReconciler } from '../../../../functions/machineset/reconciler.ts';
import type { MachineSetSettings } from '../../../../functions/machineset/seen.ts';
import { defaultSettings } from '../../../../functions/machineset/settings.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../../../shared/kernel/reconciled.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { type Built, built, ObjectBuilder, timestamp } from '../../../support/object-builder.ts';
import { definitionOf } from '../../../support/provider-definitions.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

export const core = 'cluster.x-k8s.io/v1beta2';
export const infraGroup = 'infrastructure.cluster.x-k8s.io';
const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';
export const setFinalizer = 'cluster.x-k8s.io/machineset';
export const machineFinalizer = 'machine.cluster.x-k8s.io';
export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
export const deploymentNameLabel = 'cluster.x-k8s.io/deployment-name';
const revisionAnnotation = 'machinedeployment.clusters.x-k8s.io/revision';
export const reservedAnnotation = 'capi-serverless.dev/reserved-machines';

const anyFields = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const kindOf = (group: string, kind: string) => ({
  ...{ group, kind, contract: 'v1beta2' as const },
  spec: { template: anyFields, version: { type: 'string' }, size: { type: 'integer' } },
  status: { version: { type: 'string' } },
});

export const crds = {
  machineTemplate: definitionOf(kindOf(infraGroup, 'FooMachineTemplate')),
  configTemplate: definitionOf(kindOf(bootstrapGroup, 'FooConfigTemplate')),
  machine: definitionOf(kindOf(infraGroup, 'FooMachine')),
  config: definitionOf(kindOf(bootstrapGroup, 'FooConfig')),
  controlPlane: definitionOf(kindOf(controlPlaneGroup, 'FooControlPlane')),
};

export class SetTestObject extends ObjectBuilder {
  owners(...ownerReferences: readonly OwnerReference[]): this {
    return this.withMetadata({ ownerReferences });
  }

  onlyLabelled(labels: Readonly<Record<string, string>>): this {
    return this.withMetadata({ labels });
  }

  withoutFinalizers(): this {
    return this.withMetadata({ finalizers: [] });
  }
}

function owner(kind: string, name: string, uid: string): OwnerReference {
  return { apiVersion: core, kind, name, uid };
}

export const clusterOwner = owner('Cluster', 'c1', 'u-c1');
export const setOwner = { ...owner('MachineSet', 'ms1', 'u-ms'), controller: true, blockOwnerDeletion: true };
const deploymentOwner = { ...owner('MachineDeployment', 'md1', 'u-md'), controller: true };

export const selectorLabels = { [clusterNameLabel]: 'c1', a: 'b' };

export const machineSpec = {
  clusterName: 'c1',
  version: 'v1.31.0',
  bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: 'FooConfigTemplate', name: 'bt1' } },
  infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachineTemplate', name: 'it1' },
};

export const aCluster = new SetTestObject({ apiVersion: core, kind: 'Cluster', name: 'c1' })
  .withUid('u-c1')
  .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } });

export const controlPlaneRef = { apiGroup: controlPlaneGroup, kind: 'FooControlPlane', name: 'cp1' };

export function aControlPlane(spec: string, status: string): SetTestObject {
  return new SetTestObject({ apiVersion: `${controlPlaneGroup}/v1beta2`, kind: 'FooControlPlane', name: 'cp1' })
    .withSpec(spec === '' ? {} : { version: spec })
    .withStatus(status === '' ? {} : { version: status });
}

export const aMachineTemplate = new SetTestObject({
  apiVersion: `${infraGroup}/v1beta2`,
  kind: 'FooMachineTemplate',
  name: 'it1',
})
  .owners(clusterOwner)
  .withSpec({ template: { spec: { size: 1 } } });

export const aConfigTemplate = new SetTestObject({
  apiVersion: `${bootstrapGroup}/v1beta2`,
  kind: 'FooConfigTemplate',
  name: 'bt1',
})
  .owners(clusterOwner)
  .withSpec({ template: { spec: { size: 2 } } });

export function aDeployment(spec: JsonObject = {}, revision = '1'): SetTestObject {
  return new SetTestObject({ apiVersion: core, kind: 'MachineDeployment', name: 'md1' })
    .withUid('u-md')
    .annotated({ [revisionAnnotation]: revision })
    .withSpec({
      ...{ clusterName: 'c1', replicas: 2, selector: { matchLabels: selectorLabels } },
      template: { metadata: { labels: selectorLabels }, spec: machineSpec },
      ...spec,
    });
}

export function aNewSet(spec: JsonObject = {}): SetTestObject {
  return new SetTestObject({ apiVersion: core, kind: 'MachineSet', name: 'ms1' })
    .withUid('u-ms')
    .labelled({ [clusterNameLabel]: 'c1' })
    .owners(clusterOwner)
    .withSpec({
      ...{ clusterName: 'c1', replicas: 2, selector: { matchLabels: selectorLabels } },
      template: { metadata: { labels: selectorLabels }, spec: machineSpec },
      ...spec,
    });
}

/** With finalizer and Paused condition. */
export function aSet(spec: JsonObject = {}): SetTestObject {
  return aNewSet(spec)
    .withFinalizers(setFinalizer)
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 });
}

/** A MachineSet of MachineDeployment md1. */
export function aChild(spec: JsonObject = {}, revision = '1'): SetTestObject {
  return aSet(spec)
    .labelled({ [deploymentNameLabel]: 'md1' })
    .annotated({ [revisionAnnotation]: revision })
    .owners(deploymentOwner);
}

/** A Machine with a Node. Everything about it is fine. */
export function aMachineOf(name: string): SetTestObject {
  return new SetTestObject({ apiVersion: core, kind: 'Machine', name })
    .withUid(`u-${name}`)
    .labelled({ ...selectorLabels, 'cluster.x-k8s.io/set-name': 'ms1' })
    .owners(setOwner)
    .withFinalizers(machineFinalizer)
    .withSpec({
      ...machineSpec,
      infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachine', name },
      bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: 'FooConfig', name }, dataSecretName: `${name}-data` },
    })
    .withStatus({ nodeRef: { name: `node-${name}` } })
    .withCondition('Ready')
    .withCondition('Available')
    .withCondition('UpToDate')
    .withCondition('NodeReady')
    .withV1Beta1Condition('Ready');
}

function machineObject(group: string, kind: string, name: string): SetTestObject {
  return new SetTestObject({ apiVersion: `${group}/v1beta2`, kind, name }).labelled(selectorLabels);
}

function infraOf(name: string): SetTestObject {
  return machineObject(infraGroup, 'FooMachine', name)
    .owners(owner('Machine', name, `u-${name}`))
    .withSpec({ size: 1 });
}

function configOf(name: string): SetTestObject {
  return machineObject(bootstrapGroup, 'FooConfig', name)
    .owners(owner('Machine', name, `u-${name}`))
    .withSpec({ size: 2 });
}

export const refs = {
  set: { apiVersion: core, kind: 'MachineSet', namespace: 'ns', name: 'ms1' },
  machine: (name: string): ObjectRef => ({ apiVersion: core, kind: 'Machine', namespace: 'ns', name }),
  infra: (name: string): ObjectRef => ({
    ...{ apiVersion: `${infraGroup}/v1beta2`, kind: 'FooMachine', namespace: 'ns' },
    name,
  }),
  config: (name: string): ObjectRef => ({
    ...{ apiVersion: `${bootstrapGroup}/v1beta2`, kind: 'FooConfig', namespace: 'ns' },
    name,
  }),
};

interface WorldParts {
  readonly set?: Built<Unstructured>;
  readonly cluster?: Built<Unstructured> | null;
  readonly templates?: readonly Built<Unstructured>[];
  /** Stored before the MachineSet. */
  readonly before?: readonly Built<Unstructured>[];
  /** Machines with their objects. Each is a second older than the next one. */
  readonly machines?: readonly (string | Built<Unstructured>)[];
  /** Stored after the Machines. */
  readonly others?: readonly Built<Unstructured>[];
  readonly settings?: Partial<MachineSetSettings>;
  readonly crds?: readonly Built<Unstructured>[] | readonly (typeof crds.machine)[];
  /** If true, the world is not reconciled before the test. */
  readonly isFresh?: boolean;
}

interface FailingCall {
  readonly verb: string;
  readonly kind: string;
  readonly name?: string;
  /** Default: the object itself. */
  readonly subresource?: 'status';
}

export interface MachineSetWorld {
  readonly api: MemoryApi;
  /** Reconciles with one pass, or with as many as one invocation makes. Returns the result as text. */
  reconcile(passes?: number): Promise<string>;
  /** Reconciles until a pass writes nothing. */
  settle(): Promise<void>;
  set(): Unstructured;
  /** The reserved names. */
  reserved(): string | undefined;
  /** The names of these objects. The random part of a name is `xxxxx`. */
  names(kind: 'Machine' | 'FooMachine' | 'FooConfig'): readonly string[];
  all(kind: 'Machine' | 'FooMachine' | 'FooConfig'): readonly Unstructured[];
  machine(name: string): Unstructured;
  isDeleting(name: string): boolean;
  /** The names of the Machines in deletion. */
  deleting(): readonly string[];
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
  conditionOf(machine: string, type: string): string | undefined;
  v1beta1Of(machine: string, type: string): string | undefined;
  status(path: string): unknown;
  events(): readonly string[];
  /** The writes since the last call, without bodies. */
  takeWrites(): readonly string[];
  failing(at: FailingCall, message?: string): void;
  /** Merges this into an object, as another client. */
  change(ref: ObjectRef, body: JsonObject, subresource?: 'status'): Promise<void>;
  setCondition(machine: string, type: string, status: 'True' | 'False', reason?: string): Promise<void>;
}

export async function aWorld(parts: WorldParts = {}): Promise<MachineSetWorld> {
  const api = createMemoryApi({
    crds: (parts.crds ?? Object.values(crds)) as readonly (typeof crds.machine)[],
    clock: new SteppedClock(),
  });
  const cluster = parts.cluster === undefined ? aCluster : parts.cluster;
  api.given(...(cluster === null ? [] : [cluster]));
  api.given(...(parts.templates ?? [aMachineTemplate, aConfigTemplate]));
  api.given(...(parts.before ?? []));
  api.given(parts.set ?? aSet());
  for (const given of parts.machines ?? []) {
    // Machines that are given later are younger.
    await api.clock.advance(1000);
    const machine = typeof given === 'string' ? aMachineOf(given) : given;
    const { name } = built(machine).metadata;
    api.given(machine, infraOf(name), configOf(name));
  }
  api.given(...(parts.others ?? []));
  await api.clock.advance(60_000);
  const world = toWorld(api, parts);
  if (parts.machines !== undefined && parts.isFresh !== true) {
    await world.settle();
  }
  return world;
}

interface Invocation {
  readonly settings?: Partial<MachineSetSettings>;
  readonly maxPasses?: number;
  readonly ref?: ObjectRef;
  readonly kubernetes?: MemoryApi['kubernetes'];
  /** The reconciler of the process. Default: that of a new process. */
  readonly reconciler?: ReturnType<typeof createMachineSetReconciler>;
}

/** One invocation. */
export function invoke(
  api: MemoryApi,
  { settings = {}, maxPasses, ref = refs.set, kubernetes = api.kubernetes, ...of }: Invocation = {},
): Promise<Reconciled> {
  return reconcile(
    {
      reconciler: of.reconciler ?? createMachineSetReconciler({ ...defaultSettings, ...settings }),
      kubernetes,
      ports: {},
      // Pauses after conflicts take no time.
      clock: { now: () => api.clock.now(), sleep: async () => undefined },
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
      ...(maxPasses === undefined ? {} : { maxPasses }),
    },
    ref,
  );
}

function listOf(api: MemoryApi, kind: string): readonly Unstructured[] {
  const groups: Readonly<Record<string, string>> = {
    Machine: core,
    MachineSet: core,
    FooMachine: `${infraGroup}/v1beta2`,
    FooConfig: `${bootstrapGroup}/v1beta2`,
    Event: 'v1',
  };
  return api.core.list(api.core.registry.endpointOfKind(groups[kind] ?? core, kind), {}).items;
}

async function settleSet(api: MemoryApi, settings: Invocation): Promise<void> {
  for (let rounds = 0; rounds < 10; rounds += 1) {
    api.calls.reset();
    await invoke(api, settings);
    if (api.calls.writes.length === 0) {
      api.calls.reset();
      return;
    }
  }
  throw new Error(`The MachineSet does not settle: ${api.calls.writes.join('\n')}`);
}

function toWorld(api: MemoryApi, parts: WorldParts): MachineSetWorld {
  const set = () => api.read(refs.set);
  const machine = (name: string) => api.read(refs.machine(name));
  const textIn = (object: Unstructured, path: string, type: string) =>
    conditionText(conditionIn(valueAt(object.status, path), type));
  const settings = parts.settings === undefined ? {} : { settings: parts.settings };
  const oldPath = 'deprecated.v1beta1.conditions';
  const change: MachineSetWorld['change'] = async (ref, body, subresource) => {
    const answer = await api.others.mergePatch(ref, body, subresource === undefined ? {} : { subresource });
    if (!answer.ok) {
      throw new Error(answer.failure.message);
    }
  };
  return {
    api,
    set,
    reserved: () => set().metadata.annotations?.[reservedAnnotation],
    machine,
    change,
    reconcile: async (passes = 1) => resultText((await invoke(api, { ...settings, maxPasses: passes })).result),
    settle: () => settleSet(api, settings),
    all: kind => listOf(api, kind),
    names: kind => listOf(api, kind).map(({ metadata }) => anonymous(metadata.name)),
    isDeleting: name => machine(name).metadata.deletionTimestamp !== undefined,
    deleting: () =>
      listOf(api, 'Machine')
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => metadata.name),
    condition: type => textIn(set(), 'conditions', type),
    v1beta1: type => textIn(set(), oldPath, type),
    conditionOf: (name, type) => textIn(machine(name), 'conditions', type),
    v1beta1Of: (name, type) => textIn(machine(name), oldPath, type),
    status: path => valueAt(set().status, path),
    events: () =>
      listOf(api, 'Event').map(({ type, reason, message }) => `${type} ${reason} ${anonymous(String(message))}`),
    takeWrites() {
      const writes = api.calls.writes.map(line => anonymous(line.replace(/ \{.*\}/s, '')));
      api.calls.reset();
      return writes;
    },
    failing(at, message = 'boom') {
      const failure: ApiFailure = { reason: 'Forbidden', message };
      api.calls.fail({ at: call => isCall(call, at), failure });
    },
    async setCondition(name, type, status, reason = 'X') {
      const before = (valueAt(machine(name).status, 'conditions') ?? []) as readonly { readonly type: string }[]; // true: only conditions are stored there
      const lastTransitionTime = timestamp(api.clock.now());
      const conditions = [
        ...before.filter(each => each.type !== type),
        { type, status, reason, message: '', lastTransitionTime },
      ];
      await change(refs.machine(name), { status: { conditions } }, 'status');
    },
  };
}

function isCall(
  call: { readonly verb: string; readonly kind: string; readonly of: object; readonly subresource?: string },
  { verb, kind, name, subresource }: FailingCall,
): boolean {
  const isNamed = name === undefined || ('name' in call.of && call.of.name === name);
  return call.verb === verb && call.kind === kind && call.subresource === subresource && isNamed;
}

function anonymous(text: string): string {
  return text.replaceAll(/ms1-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, 'ms1-xxxxx');
}
