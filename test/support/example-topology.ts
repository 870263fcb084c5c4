// The topology of examples/topology in memory. It is created and settled by the production reconcilers, and changed
// like a user would.
import path from 'node:path';
import { type ListQuery, mergeDiff, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Reconciler } from '@capi-serverless/reconciler';
import { readObjects } from '../../cli/plan/files.ts';
import { createClusterClassReconciler } from '../../functions/clusterclass/reconciler.ts';
import type { TopologyPorts } from '../../functions/topology/observe/planning.ts';
import { createTopologyReconciler } from '../../functions/topology/reconciler.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { fakeHooks } from './fake-hooks.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi, type MemoryApi } from './memory-api.ts';
import { fieldsOf } from './object-builder.ts';

const folder = path.join(import.meta.dirname, '../../examples/topology');

/** The manifests of the class with its templates, and of the Cluster. */
export const exampleFiles: readonly string[] = ['cluster-class.yaml', 'cluster.yaml'].map(file =>
  path.join(folder, file),
);

const core = 'cluster.x-k8s.io/v1beta2';
const namespace = 'default';
export const clusterRef: ObjectRef = { apiVersion: core, kind: 'Cluster', namespace, name: 'managed' };
export const classRef: ObjectRef = { apiVersion: core, kind: 'ClusterClass', namespace, name: 'simulated' };

type Edit = (object: Record<string, unknown>) => void;

export interface ExampleTopology {
  readonly api: MemoryApi;
  /** Changes the object like `kubectl edit`. */
  edit(ref: ObjectRef, change: Edit): Promise<void>;
  /** Returns every object of the kind in the namespace. */
  all(kind: string, apiVersion?: string): Promise<readonly Unstructured[]>;
  /** Runs one invocation of the topology reconciler. `maxPasses` is as in the kernel. */
  run(): Promise<Reconciled>;
  /** Runs one invocation of the ClusterClass reconciler. */
  runClass(): Promise<Reconciled>;
  /** Makes the control plane report this version. */
  controlPlaneRuns(version: string): Promise<void>;
}

/** Returns a topology of which only the manifests exist. The class is reconciled. */
export async function exampleTopology(): Promise<ExampleTopology> {
  const api = createMemoryApi();
  for (const object of await readObjects(exampleFiles)) {
    await expectOk(api.others.create(object));
  }
  const all = async (kind: string, apiVersion = core) => {
    const query: ListQuery = { apiVersion, kind, namespace };
    return expectOk(api.others.list(query));
  };
  const world: ExampleTopology = {
    api,
    all,
    edit: (ref, change) => edit(api, ref, change),
    run: () => invoke(api, createTopologyReconciler({ callsExtensions: true }), clusterRef),
    runClass: () => invoke(api, createClusterClassReconciler({ callsExtensions: true }), classRef),
    controlPlaneRuns: async version => {
      const controlPlane = 'controlplane.cluster.x-k8s.io/v1beta2';
      for (const { metadata } of await all('SimulatedControlPlane', controlPlane)) {
        const ref = { apiVersion: controlPlane, kind: 'SimulatedControlPlane', namespace, name: metadata.name };
        const status = {
          initialization: { controlPlaneInitialized: true },
          version,
          versions: [{ version, replicas: 3 }],
        };
        await expectOk(api.others.mergePatch(ref, { status }, { subresource: 'status' }));
      }
    },
  };
  await world.runClass();
  return world;
}

/** Returns a topology of which all objects exist. The control plane runs its version. */
export async function settledExample(): Promise<ExampleTopology> {
  const world = await exampleTopology();
  await world.run();
  await world.controlPlaneRuns('v1.35.0');
  await world.run();
  world.api.calls.reset();
  return world;
}

/** Returns the list below `spec.topology.workers`, or the workers of the class. */
export function workersOf(object: unknown, list: 'machineDeployments' | 'machinePools'): Record<string, unknown>[] {
  const found = valueAt(object, `spec.topology.workers.${list}`) ?? valueAt(object, `spec.workers.${list}`);
  if (!Array.isArray(found)) {
    throw new Error(`There are no ${list}`);
  }
  return found;
}

async function edit(api: MemoryApi, ref: ObjectRef, change: Edit): Promise<void> {
  const before = api.read(ref);
  // True: a deep copy of JSON is JSON.
  const after = structuredClone(before) as unknown as Record<string, unknown>;
  change(after);
  await expectOk(api.others.mergePatch(ref, mergeDiff(fieldsOf(before), after) ?? {}));
}

async function expectOk<T>(
  asked: Promise<
    { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: { message: string } }
  >,
): Promise<T> {
  const answer = await asked;
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}

function invoke<Ports extends object, Seen extends object>(
  api: MemoryApi,
  reconciler: Reconciler<Ports, Seen>,
  ref: ObjectRef,
): Promise<Reconciled> {
  const nodes: TopologyPorts['nodes'] = { kubeletVersions: async () => new Map() };
  return reconcile(
    {
      reconciler,
      kubernetes: api.kubernetes,
      // True: the only other ports of these reconcilers are hooks and nodes.
      ports: { hooks: fakeHooks(), nodes } as unknown as Ports,
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
    },
    ref,
  );
}
