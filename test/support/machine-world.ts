// The memory API with the Cluster reconciler, the simulated provider and its Machine controllers. Every reconcile is a
// new process. Time advances only between rounds.
import { clusterReconciler } from '../../functions/cluster/reconciler.ts';
import { machineDeploymentTopologyReconciler } from '../../functions/machinedeployment-topology/reconciler.ts';
import { machineSetTopologyReconciler } from '../../functions/machineset-topology/reconciler.ts';
import { machineReconcilers, simulatedReconcilers } from '../../local/provider/declarations.ts';
import { type ObjectRef, toApiVersion, toRef, type Unstructured } from '../../packages/apimachinery/object.ts';
import type { Reconciler, Result } from '../../packages/reconciler/types.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeSigner, fakeWorkload } from './fake-remote.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi, type MemoryApi } from './memory-api.ts';
import { conditionIn, conditionText } from './result-text.ts';

interface Running {
  readonly reconciler: Reconciler<object, object>;
  readonly ports: object;
}

export interface MachineWorld {
  readonly api: MemoryApi;
  /** Advances time by `seconds` in steps. Each step reconciles all objects until there are no more writes. */
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
  /** The requeue time of the object after the last round. Infinity if it has none. */
  nextLookMs(of: { readonly kind: string; readonly name: string }): number;
  /** Returns distinct failures since the start. */
  failures(): readonly string[];
}

const core = 'cluster.x-k8s.io/v1beta2';
const stepMs = 500;
const mostRounds = 20;

/** Rounds of reconciles over all objects, with their failures and requeue times. */
function createRounds(api: MemoryApi) {
  const failures = new Set<string>();
  /** Keys are objects, then reconcilers. */
  const looks = new Map<string, Map<string, number>>();
  const remote = { signer: fakeSigner(), workload: fakeWorkload() };
  const running: readonly Running[] = [
    { reconciler: clusterReconciler as unknown as Running['reconciler'], ports: remote }, // true: it gets its ports
    ...[...simulatedReconcilers, ...machineReconcilers].map(reconciler => ({ reconciler, ports: {} })),
    ...[machineDeploymentTopologyReconciler, machineSetTopologyReconciler].map(reconciler => ({
      reconciler: reconciler as unknown as Running['reconciler'], // true: it needs only reads
      ports: {},
    })),
  ];

  const listAll = (apiVersion: string, kind: string): readonly Unstructured[] =>
    api.core.list(api.core.registry.endpointOfKind(apiVersion, kind), {}).items;

  async function round(): Promise<void> {
    for (const { reconciler, ports } of running) {
      const { primary } = reconciler.declaration;
      for (const object of listAll(toApiVersion(primary), primary.kind)) {
        note(reconciler, object, (await reconcileOnce(reconciler, ports, toRef(object))).result);
      }
    }
  }

  function reconcileOnce(reconciler: Running['reconciler'], ports: object, ref: ObjectRef) {
    const signal = new AbortController().signal;
    const log = aRecordingLog();
    return reconcile(
      { reconciler, kubernetes: api.kubernetes, ports, clock: api.clock, signal, log, watchFilter: '' },
      ref,
    );
  }

  function note({ declaration }: Running['reconciler'], object: Unstructured, result: Result): void {
    const look = `${object.kind}/${object.metadata.name}`;
    const byReconciler = looks.get(look) ?? new Map<string, number>();
    looks.set(look, byReconciler);
    byReconciler.set(declaration.name, result.kind === 'requeueAfter' ? result.ms : Number.POSITIVE_INFINITY);
    if (result.kind === 'failed') {
      failures.add(`${object.kind} ${object.metadata.name}: ${result.error.message}`);
    }
  }

  async function settle(): Promise<void> {
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

  return { listAll, round, settle, failures, looks };
}

export function createMachineWorld(): MachineWorld {
  const api = createMemoryApi();
  const { listAll, round, settle, failures, looks } = createRounds(api);
  const world: MachineWorld = {
    api,
    async run(seconds) {
      for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
        await settle();
        await api.clock.advance(stepMs);
      }
      await settle();
    },
    async until(holds) {
      for (let seconds = 0; seconds < 60 && !holds(); seconds += stepMs / 1000) {
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
    nextLookMs: ({ kind, name }) => Math.min(...(looks.get(`${kind}/${name}`)?.values() ?? [])),
    failures: () => [...failures],
  };
  return world;
}
