// The memory API with the reconcilers of Clusters and Machines, the simulated provider, and workload clusters in memory. Every reconcile is a
// new process. Time advances only between rounds.

import { type ObjectRef, toApiVersion, toRef, type Unstructured, valid } from '@capi-serverless/apimachinery';
import type { Reconciler, Result } from '@capi-serverless/reconciler';
import { clusterReconciler } from '../../functions/cluster/reconciler.ts';
import { createMachineReconciler } from '../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../functions/machine/settings.ts';
import { createMachineDeploymentReconciler } from '../../functions/machinedeployment/reconciler.ts';
import { machineDeploymentTopologyReconciler } from '../../functions/machinedeployment-topology/reconciler.ts';
import { machinePoolReconciler } from '../../functions/machinepool/reconciler.ts';
import { createMachineSetReconciler } from '../../functions/machineset/reconciler.ts';
import { defaultSettings as machineSetSettings } from '../../functions/machineset/settings.ts';
import { machineSetTopologyReconciler } from '../../functions/machineset-topology/reconciler.ts';
import { machineReconcilers, simulatedReconcilers } from '../../local/provider/declarations.ts';
import { createSimulatedControlPlane, simulatedControlPlane } from '../../local/provider/simulated-control-plane.ts';
import { nodesOfMachines, nodesOfPools } from '../../local/provider/workload/simulated-node.ts';
import {
  type SimulatedWorkloadCluster,
  simulateWorkloadCluster,
} from '../../local/provider/workload/simulated-workload-cluster.ts';
import { toSecretData } from '../../shared/api/secret.ts';
import type { Signer } from '../../shared/certificates/port.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { createMemoryWorkload, type MemoryWorkload } from '../../shared/kubernetes/memory/memory-workload.ts';
import { fakeHooks } from './fake-hooks.ts';
import { fakeSigner, fakeWorkload } from './fake-remote.ts';
import { aRecordingLog } from './kernel.ts';
import { countingIds, createMemoryApi, type MemoryApi } from './memory-api.ts';
import { conditionIn, conditionText } from './result-text.ts';

interface Running {
  readonly reconciler: Reconciler<object, object>;
  readonly ports: object;
}

export interface MachineWorld {
  readonly api: MemoryApi;
  readonly workload: MemoryWorkload;
  /**
   * Advances time by `seconds` in steps. Each step reconciles all objects until there are no more writes. A step without
   * changes and due requeues reconciles nothing.
   */
  run(seconds: number): Promise<void>;
  /** Like `run`, until the condition is true. Throws after one minute. */
  until(holds: () => boolean): Promise<void>;
  list(kind: string, apiVersion?: string): readonly Unstructured[];
  names(kind: string): readonly string[];
  find(kind: string, name: string, apiVersion?: string): Unstructured | undefined;
  /** Returns `True/Ready` with the message. */
  condition(kind: string, name: string, type: string): string | undefined;
  /** Returns the writes of one more round. */
  writesOfOneRound(): Promise<readonly string[]>;
  /** The time until the object's requeue. Infinity if it has none. */
  nextLookMs(of: { readonly kind: string; readonly name: string }): number;
  /** Returns distinct failures since the start. */
  failures(): readonly string[];
}

const core = 'cluster.x-k8s.io/v1beta2';
const stepMs = 500;
const authority = { certificate: 'PEM certificate', privateKey: 'PEM key' };
const mostRounds = 20;

/** Adds the authority to the kubeconfig, as real ones contain it. */
function embeddingSigner(): Signer {
  const signer = fakeSigner();
  return {
    inspect: text => signer.inspect(text.split('\n')[0] ?? ''),
    async kubeconfig(request) {
      const signed = await signer.kubeconfig(request);
      return signed.ok ? valid(`${signed.value}\n${toSecretData(request.authority.certificate)}`) : signed;
    },
  };
}

/** Returns the reconcilers with their ports. */
function toRunning(workload: MemoryWorkload): readonly Running[] {
  const remote = { signer: fakeSigner(), workload: fakeWorkload() };
  const controlPlane = createSimulatedControlPlane(
    () => ({ server: 'https://workload.example', authority }),
    embeddingSigner(),
  );
  return [
    { reconciler: clusterReconciler as unknown as Running['reconciler'], ports: remote }, // true: it gets its ports
    ...[...simulatedReconcilers, ...machineReconcilers].map(reconciler => ({
      reconciler: reconciler === simulatedControlPlane ? controlPlane : reconciler,
      ports: {},
    })),
    {
      reconciler: createMachineReconciler(defaultSettings) as unknown as Running['reconciler'], // true: it gets its ports
      ports: { hooks: fakeHooks(), workloadApi: workload.api },
    },
    {
      reconciler: createMachineDeploymentReconciler({ updatesInPlace: false }) as unknown as Running['reconciler'], // true: it gets its port
      ports: { hooks: fakeHooks() },
    },
    {
      reconciler: machinePoolReconciler as unknown as Running['reconciler'], // true: it gets its port
      ports: { workloadApi: workload.api },
    },
    ...[
      createMachineSetReconciler(machineSetSettings),
      machineDeploymentTopologyReconciler,
      machineSetTopologyReconciler,
    ].map(reconciler => ({
      reconciler: reconciler as unknown as Running['reconciler'], // true: it needs only reads
      ports: {},
    })),
  ];
}

/** Rounds of reconciles over all objects, with their failures and requeue times. */
function createRounds(api: MemoryApi) {
  const failures = new Set<string>();
  /** The times of the next reconciles. Keys are objects, then reconcilers. */
  const looks = new Map<string, Map<string, number>>();
  const workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1_000_000) });
  const running = toRunning(workload);

  const listAll = (apiVersion: string, kind: string): readonly Unstructured[] =>
    api.core.list(api.core.registry.endpointOfKind(apiVersion, kind), {}).items;

  const follow = followMachines(api, workload, listAll);

  const nextLookAt = (): number => Math.min(...[...looks.values()].flatMap(each => [...each.values()]));

  async function round(): Promise<void> {
    follow();
    looks.clear();
    for (const { reconciler, ports } of running) {
      const { primary } = reconciler.declaration;
      for (const object of listAll(toApiVersion(primary), primary.kind)) {
        note(reconciler, object, (await reconcileOnce({ api, workload }, { reconciler, ports }, toRef(object))).result);
      }
    }
  }

  function note({ declaration }: Running['reconciler'], object: Unstructured, result: Result): void {
    const look = `${object.kind}/${object.metadata.name}`;
    const byReconciler = looks.get(look) ?? new Map<string, number>();
    looks.set(look, byReconciler);
    byReconciler.set(declaration.name, api.clock.now() + toLookMs(result));
    if (result.kind === 'failed') {
      failures.add(`${object.kind} ${object.metadata.name}: ${result.error.message}`);
    }
  }

  const settleChanges = ofChanges({ api, workload, listAll, nextLookAt }, () => settle(api, round));

  async function step(): Promise<void> {
    follow();
    await settleChanges();
  }

  return { listAll, round, settle: step, failures, looks, workload };
}

/** A new process without memory. */
function reconcileOnce(
  { api, workload }: Pick<MachineWorld, 'api' | 'workload'>,
  { reconciler, ports }: Running,
  ref: ObjectRef,
) {
  return reconcile(
    {
      reconciler,
      kubernetes: api.kubernetes,
      ports,
      workload: workload.writers,
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
    },
    ref,
  );
}

interface Observed {
  readonly api: MemoryApi;
  readonly workload: MemoryWorkload;
  readonly listAll: (apiVersion: string, kind: string) => readonly Unstructured[];
  readonly nextLookAt: () => number;
}

/** Returns a function that calls `work` only if an object changed since the last call, or if a reconcile is due. */
function ofChanges({ api, workload, listAll, nextLookAt }: Observed, work: () => Promise<void>): () => Promise<void> {
  const version = (): string => {
    const cores = listAll(core, 'Cluster').map(({ metadata }) => workload.cluster(metadata.uid).core);
    return [api.core, ...cores].map(each => each.resourceVersion()).join();
  };
  let rest = { version: '', until: 0 };
  return async () => {
    if (api.clock.now() >= rest.until || version() !== rest.version) {
      await work();
      rest = { version: version(), until: nextLookAt() };
    }
  };
}

function toLookMs(result: Result): number {
  if (result.kind === 'requeueAfter') {
    return result.ms;
  }
  return result.kind === 'failed' ? 0 : Number.POSITIVE_INFINITY;
}

/** Repeats rounds until one of them writes nothing. */
async function settle(api: MemoryApi, round: () => Promise<void>): Promise<void> {
  for (let rounds = 0; rounds < mostRounds; rounds += 1) {
    const before = api.calls.writes.length;
    await round();
    api.core.collectGarbage();
    if (api.calls.writes.length === before) {
      return;
    }
  }
  throw new Error(`It still writes after ${mostRounds} rounds: ${api.calls.writes.slice(-5).join('\n')}`);
}

/** Returns a function that does what the kubelets have done until now. */
function followMachines(
  api: MemoryApi,
  workload: MemoryWorkload,
  listAll: (apiVersion: string, kind: string) => readonly Unstructured[],
): () => void {
  const followed = new Map<string, SimulatedWorkloadCluster>();
  return () => {
    for (const { metadata } of listAll(core, 'Cluster')) {
      const world = workload.cluster(metadata.uid);
      world.removesEvicted = false;
      const cluster = followed.get(metadata.uid) ?? simulateWorkloadCluster(world.core, () => api.clock.now());
      followed.set(metadata.uid, cluster);
      const ownOf = (kind: string) =>
        listAll('infrastructure.cluster.x-k8s.io/v1beta2', kind).filter(
          each => each.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === metadata.name,
        );
      cluster.follow([
        ...nodesOfMachines(ownOf('SimulatedMachine'), api.clock.now()),
        ...nodesOfPools(ownOf('SimulatedMachinePool')),
      ]);
    }
  };
}

export function createMachineWorld(): MachineWorld {
  const api = createMemoryApi();
  const { listAll, round, settle, failures, looks, workload } = createRounds(api);
  const world: MachineWorld = {
    api,
    workload,
    async run(seconds) {
      for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
        await settle();
        await api.clock.advance(stepMs);
      }
      await settle();
    },
    async until(holds) {
      for (let seconds = 0; seconds < 120 && !holds(); seconds += stepMs / 1000) {
        await world.run(stepMs / 1000);
      }
      if (!holds()) {
        throw new Error(`It does not come true: ${[...failures].join('; ')}`);
      }
    },
    list: (kind, apiVersion = core) => listAll(apiVersion, kind),
    names: kind => listAll(core, kind).map(({ metadata }) => metadata.name),
    find: (kind, name, apiVersion = core) => listAll(apiVersion, kind).find(({ metadata }) => metadata.name === name),
    condition(kind, name, type) {
      const { conditions } = (world.find(kind, name)?.status ?? {}) as { readonly conditions?: unknown }; // true: the definition of the kind requires this form
      return conditionText(conditionIn(conditions, type));
    },
    async writesOfOneRound() {
      const before = api.calls.writes.length;
      await round();
      return api.calls.writes.slice(before);
    },
    nextLookMs: ({ kind, name }) => Math.min(...(looks.get(`${kind}/${name}`)?.values() ?? [])) - api.clock.now(),
    failures: () => [...failures],
  };
  return world;
}
