// Patches the settled topology of test/support/topology-objects.ts like `applyPatches`. All inputs are frozen.

import type { Checked, JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { applyPatches } from '../../../../../functions/topology/observe/planning.ts';
import { computeDesired } from '../../../../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../../../../functions/topology/plan/desired/desired-topology.ts';
import { hooksApiVersion } from '../../../../../shared/runtime-hooks/rules/hook.ts';
import { sortedEntries } from '../../../../../shared/variables/json-type.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { type FakeHandler, type FakeHooks, fakeHooks } from '../../../../support/fake-hooks.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { type Built, ObjectBuilder, testStart } from '../../../../support/object-builder.ts';
import { settledNames, settledVersions } from '../../../../support/settled-topology.ts';
import { aDesiredInput, at, type DesiredParts, found } from '../plan/desired/desired-input.ts';

interface MachineDeployment {
  readonly name: string;
  readonly class?: string;
  readonly version?: string;
  readonly replicas?: number;
  readonly overrides?: JsonObject;
}

export interface PatchTestOptions extends Omit<DesiredParts, 'definitions' | 'variables'> {
  readonly patches: readonly JsonObject[];
  /** The values for the whole Cluster, by name. */
  readonly variables?: JsonObject;
  readonly controlPlaneOverrides?: JsonObject;
  readonly machinePoolOverrides?: JsonObject;
  /** The MachineDeployments. Default: one of class `worker`. A class is created for each name. */
  readonly machineDeployments?: readonly MachineDeployment[];
  /** The source of a variable. Default: `inline`. */
  readonly definedFrom?: Readonly<Record<string, readonly string[]>>;
  /** The version of the control plane. */
  readonly version?: string;
  readonly runtimeSdk?: boolean;
  /** The handlers of the extension `ext1`, by hook. */
  readonly extension?: Readonly<Record<string, FakeHandler>>;
  readonly failurePolicy?: 'Ignore' | 'Fail';
  readonly selector?: JsonObject;
}

interface Patched {
  readonly outcome: Checked<Desired>;
  /** The state before the patches. */
  readonly desired: Desired;
  readonly hooks: FakeHooks;
  /** The requests to the API server. */
  readonly reads: readonly string[];
}

export async function patched(options: PatchTestOptions): Promise<Patched> {
  const input = aDesiredInput(toDesiredParts(options));
  const desired = computeDesired(input);
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  const hooks = fakeHooks();
  for (const [hook, handler] of Object.entries(options.extension ?? {})) {
    hooks.answer('https://ext1.example:8443', `${hook.toLowerCase()}/h`, handler);
  }
  const reads = fakeReads([anExtension(options), aNamespace]);
  const before = JSON.stringify([...entriesOf(desired.value)]);
  const outcome = await applyPatches(
    { blueprint: input.blueprint, desired: desired.value, runtimeSdk: options.runtimeSdk ?? true },
    { ...reads, hooks },
    { number: 1, now: testStart, signal: new AbortController().signal },
  );
  if (JSON.stringify([...entriesOf(desired.value)]) !== before) {
    throw new Error('The desired objects were changed in place');
  }
  return { outcome, desired: desired.value, hooks, reads: reads.trips.flat() };
}

/** Returns all objects, including objects in maps. */
function* entriesOf(desired: Desired): Iterable<unknown> {
  yield desired.infrastructureCluster;
  yield desired.controlPlane;
  yield* desired.machineDeployments;
  yield* desired.machinePools;
}

/** Returns the desired objects after the patches. */
export async function outcomeOf(options: PatchTestOptions): Promise<Desired> {
  const { outcome } = await patched(options);
  if (!outcome.ok) {
    throw new Error(outcome.error);
  }
  return outcome.value;
}

/** Returns the error. Throws if there is none. */
export async function problemOf(options: PatchTestOptions): Promise<string> {
  const { outcome } = await patched(options);
  if (outcome.ok) {
    throw new Error('The patches applied');
  }
  return outcome.error;
}

function toDesiredParts(options: PatchTestOptions): DesiredParts {
  const { patches, machineDeployments = [{ name: 'md1', replicas: 2 }], topology, ofClass, ...rest } = options;
  const { variables = {}, controlPlaneOverrides = {}, machinePoolOverrides = {}, definedFrom = {} } = options;
  const worker = (name: string) => ({
    object: { name },
    bootstrap: { name: `${name}-b` },
    infrastructure: { name: `${name}-i` },
  });
  const versions = settledVersions(options.version);
  const overridden = [
    ...Object.keys({ ...variables, ...controlPlaneOverrides, ...machinePoolOverrides, ...definedFrom }),
    ...machineDeployments.flatMap(({ overrides = {} }) => Object.keys(overrides)),
  ];
  return {
    ...rest,
    topology: {
      variables: toList(variables),
      workers: {
        machineDeployments: machineDeployments.map(({ name, class: ofWorkers = 'worker', replicas }) => ({
          ...{ name, class: ofWorkers },
          ...(replicas === undefined ? {} : { replicas }),
        })),
        machinePools: [{ class: 'pool', name: 'mp1', replicas: 3 }],
      },
      ...topology,
    },
    ofClass: {
      ...ofClass,
      spec: { workers: workersOf(machineDeployments), patches, ...ofClass?.spec },
    },
    definitions: [...new Set(overridden)].map(name => ({
      name,
      definitionsConflict: false,
      definitions: (definedFrom[name] ?? ['inline']).map(from => ({
        ...{ from, required: false },
        schema: { openAPIV3Schema: {} },
      })),
    })),
    variables: {
      cluster: toList(variables),
      controlPlane: toList(controlPlaneOverrides),
      machineDeployments: new Map(machineDeployments.map(({ name, overrides = {} }) => [name, toList(overrides)])),
      machinePools: new Map([['mp1', toList(machinePoolOverrides)]]),
    },
    input: {
      names: {
        ...settledNames,
        machineDeployments: new Map(machineDeployments.map(({ name }) => [name, worker(`c1-${name}`)])),
      },
      versions: {
        ...versions,
        machineDeployments: {
          ...versions.machineDeployments,
          versions: new Map(machineDeployments.map(({ name, version = 'v1.31.0' }) => [name, version])),
        },
      },
      ...options.input,
    },
  };
}

function toList(values: JsonObject) {
  return sortedEntries(values).map(([name, value]) => ({ name, value }));
}

const templateRefs = {
  worker: {
    bootstrap: reference('bootstrap', 'KubeadmConfigTemplate', 'worker-boot'),
    infrastructure: reference('infrastructure', 'GenericInfrastructureMachineTemplate', 'worker-machine'),
  },
  pool: {
    bootstrap: reference('bootstrap', 'KubeadmConfigTemplate', 'pool-boot'),
    infrastructure: reference('infrastructure', 'GenericInfrastructureMachinePoolTemplate', 'pool-machine'),
  },
};

function reference(group: string, kind: string, name: string) {
  return { templateRef: { apiVersion: `${group}.cluster.x-k8s.io/v1beta2`, kind, name } };
}

function workersOf(machineDeployments: readonly MachineDeployment[]): JsonObject {
  const classes = new Set(['worker', ...machineDeployments.map(({ class: name = 'worker' }) => name)]);
  return {
    machineDeployments: [...classes].map(name => ({ class: name, ...templateRefs.worker })),
    machinePools: [{ class: 'pool', ...templateRefs.pool }],
  };
}

function anExtension({ extension = {}, failurePolicy, selector }: PatchTestOptions): Built<Unstructured> {
  return anExtensionConfig()
    .withSpec({ settings: { from: 'config', shared: 'config' }, ...(selector && { namespaceSelector: selector }) })
    .withStatus({
      handlers: Object.keys(extension).map(hook => ({
        name: 'h.ext1',
        requestHook: { apiVersion: hooksApiVersion, hook },
        ...(failurePolicy && { failurePolicy }),
      })),
    });
}

const aNamespace = new ObjectBuilder({ apiVersion: 'v1', kind: 'Namespace', name: 'ns1' })
  .clusterScoped()
  .labelled({ team: 'a' });

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const bootstrap = 'bootstrap.cluster.x-k8s.io/v1beta2';

/** Selectors of one purpose each. */
export const of = {
  infrastructureCluster: {
    apiVersion: infrastructure,
    kind: 'GenericInfrastructureClusterTemplate',
    matchResources: { infrastructureCluster: true },
  },
  controlPlane: {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlaneTemplate',
    matchResources: { controlPlane: true },
  },
  controlPlaneMachines: {
    apiVersion: infrastructure,
    kind: 'GenericInfrastructureMachineTemplate',
    matchResources: { controlPlane: true },
  },
  machines: (...names: readonly string[]) => ({
    apiVersion: infrastructure,
    kind: 'GenericInfrastructureMachineTemplate',
    matchResources: { machineDeploymentClass: { names } },
  }),
  bootstrap: (...names: readonly string[]) => ({
    apiVersion: bootstrap,
    kind: 'KubeadmConfigTemplate',
    matchResources: { machineDeploymentClass: { names } },
  }),
  pools: (...names: readonly string[]) => ({
    apiVersion: bootstrap,
    kind: 'KubeadmConfigTemplate',
    matchResources: { machinePoolClass: { names } },
  }),
};

/** Returns an inline patch with one definition. */
export function inline(selector: JsonObject, jsonPatches: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { name: 'p', definitions: [{ selector, jsonPatches }], ...fields };
}

/** `spec` of the infrastructure cluster, of the machines of `md1`, and so on, after the patches. */
export const specOf = {
  infrastructureCluster: (desired: Desired) => at(desired, 'infrastructureCluster.spec'),
  controlPlane: (desired: Desired) => at(desired, 'controlPlane.object.spec'),
  controlPlaneMachines: (desired: Desired) => at(desired, 'controlPlane.machineTemplate.spec.template.spec'),
  machines: (desired: Desired, name = 'md1') =>
    at(found(desired.machineDeployments.get(name)), 'infrastructureTemplate.spec.template.spec'),
  bootstrap: (desired: Desired, name = 'md1') =>
    at(found(desired.machineDeployments.get(name)), 'bootstrapTemplate.spec.template.spec'),
  poolMachines: (desired: Desired) => at(found(desired.machinePools.get('mp1')), 'infrastructureObject.spec'),
  poolBootstrap: (desired: Desired) => at(found(desired.machinePools.get('mp1')), 'bootstrapObject.spec'),
};
