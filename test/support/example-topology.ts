// The topology of examples/topology in memory: made, settled and changed as a user would, with the true reconcilers.
import path from 'node:path';
import { createClusterClassReconciler } from '../../functions/clusterclass/reconciler.ts';
import type { TopologyPorts } from '../../functions/topology/observe.ts';
import { createTopologyReconciler } from '../../functions/topology/reconciler.ts';
import { readObjects } from '../../infra/local/plan/files.ts';
import type { ListQuery, ObjectRef, Unstructured } from '../../shared/api/object.ts';
import { mergeDiff, valueAt } from '../../shared/kernel/merge-diff.ts';
import { type Reconciled, reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciler } from '../../shared/kernel/types.ts';
import { fakeHooks } from './fake-hooks.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi, type MemoryApi } from './memory-api.ts';
import { fieldsOf } from './object-builder.ts';

const folder = path.join(import.meta.dirname, '../../examples/topology');

/** Manifests of the class with its templates, and of the Cluster. */
export const exampleFiles: readonly string[] = ['cluster-class.yaml', 'cluster.yaml'].map(file =>
  path.join(folder, file),
);

const core = 'cluster.x-k8s.io/v1beta2';
const namespace = 'default';
export const clusterRef: ObjectRef = { apiVersion: core, kind: 'Cluster', namespace, name: 'managed' };
export const classRef: ObjectRef = { apiVersion: core, kind: 'ClusterClass', namespace, name: 'simulated' };

export type Edit = (object: Record<string, unknown>) => void;

export interface ExampleTopology {
  readonly api: MemoryApi;
  /** Changes the object as `kubectl edit` would. */
  edit(ref: ObjectRef, change: Edit): Promise<void>;
  /** Every object of the kind in the namespace. */
  all(kind: string, apiVersion?: string): Promise<readonly Unstructured[]>;
  /** One invocation of the topology reconciler; `maxPasses` as the kernel has it. */
  run(): Promise<Reconciled>;
  /** One invocation of the class's reconciler. */
  runClass(): Promise<Reconciled>;
  /** The control plane tells that it runs this version. */
  controlPlaneRuns(version: string): Promise<void>;
}

/** Nothing but the manifests is there; the class is reconciled. */
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

/** Everything is made, and the control plane runs its version. */
export async function settledExample(): Promise<ExampleTopology> {
  const world = await exampleTopology();
  await world.run();
  await world.controlPlaneRuns('v1.35.0');
  await world.run();
  world.api.calls.reset();
  return world;
}

/** The list below `spec.topology.workers`, or of the class's workers. */
export function workersOf(object: unknown, list: 'machineDeployments' | 'machinePools'): Record<string, unknown>[] {
  const found = valueAt(object, `spec.topology.workers.${list}`) ?? valueAt(object, `spec.workers.${list}`);
  if (!Array.isArray(found)) {
    throw new Error(`There are no ${list}`);
  }
  return found;
}

async function edit(api: MemoryApi, ref: ObjectRef, change: Edit): Promise<void> {
  const before = api.read(ref);
  // A deep copy of JSON is JSON again.
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
      // True: no reconciler here has other ports than hooks and nodes.
      ports: { hooks: fakeHooks(), nodes } as unknown as Ports,
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
    },
    ref,
  );
}
