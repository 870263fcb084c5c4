// Workload clusters with Nodes, Pods and kubelets, over a network with faults. All processes of a run use the same ones.

import {
  type Answer,
  type Instant,
  type ObjectRef,
  refused,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
import type { WorkloadWriters, WorkloadWrites } from '@capi-serverless/reconciler/runner';
import { nodesOfMachines, nodesOfPools, type SimulatedNode } from '../../../local/provider/workload/simulated-node.ts';
import {
  type SimulatedWorkloadCluster,
  simulateWorkloadCluster,
} from '../../../local/provider/workload/simulated-workload-cluster.ts';
import { type TrackedChange, TrackedObjects } from '../../../local/provider/workload/tracked-objects.ts';
import { createMemoryWorkload, type MemoryWorkload } from '../../../shared/kubernetes/memory/memory-workload.ts';
import type { WorkloadApi, WorkloadReads } from '../../../shared/workload/api.ts';
import { countingIds } from '../../support/memory-api.ts';
import type { Refusal } from '../engine/faults.ts';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import { toApiFailure } from './api-failure.ts';

/** A request to a workload cluster, immediately before it takes effect. */
export interface WorkloadRequest {
  readonly process: SimulatedProcess;
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete' | 'evict' | 'metadata';
  readonly kind: string;
  readonly namespace: string;
  /** "" for a list. */
  readonly name: string;
  /** The uid that an eviction or a deletion is limited to. */
  readonly uid?: string;
  /** The uid of the Cluster. */
  readonly cluster: string;
  readonly core: ApiCore;
}

/** The workload clusters of one run. */
export interface SimulatedWorkloads {
  /** The API server of the Cluster with this uid. The call lets its kubelets act. */
  coreOf(uid: string): ApiCore;
  /** Whether the workload cluster of this Cluster answers. */
  setConnected(uid: string, isConnected: boolean): void;
  /** The time since when this workload cluster does not answer. */
  lostAt(core: ApiCore): Instant | undefined;
  /** Calls the listener when this workload cluster is lost. Returns an unsubscribe function. */
  onLost(core: ApiCore, listener: () => void): () => void;
  onServed(listener: (request: WorkloadRequest) => void): void;
  /** Returns the clients of one process. */
  connect(process: SimulatedProcess): { readonly api: WorkloadApi; readonly writers: WorkloadWriters };
}

const clusterLabel = 'cluster.x-k8s.io/cluster-name';
const requestTimeoutMs = 10_000;

/** `core` contains the Clusters and their machines. Without it, the workload clusters are empty. */
export function createWorkloads(
  { scheduler }: Pick<Engine, 'scheduler'>,
  core: ApiCore | undefined,
): SimulatedWorkloads {
  const clock = { now: () => scheduler.now, sleep: () => new Promise<void>(() => undefined) };
  const workload = createMemoryWorkload({ clock, ids: countingIds(1_000_000) });
  const followed = new Map<string, SimulatedWorkloadCluster>();
  const nodesOf = core === undefined ? undefined : createNodes(core, clock.now);
  const lost = new Map<ApiCore, Instant>();
  const lossListeners = new Map<ApiCore, Set<() => void>>();
  const listeners: ((request: WorkloadRequest) => void)[] = [];
  const coreOf = (uid: string): ApiCore => {
    if (nodesOf !== undefined) {
      const cluster = followed.get(uid) ?? open(workload, uid, clock.now);
      followed.set(uid, cluster);
      cluster.follow(nodesOf(uid));
    }
    return workload.cluster(uid).core;
  };
  return {
    coreOf,
    setConnected(uid, isConnected) {
      const cluster = workload.cluster(uid);
      cluster.fault = isConnected ? undefined : 'down';
      lost.delete(cluster.core);
      if (!isConnected) {
        lost.set(cluster.core, scheduler.now);
        for (const listener of lossListeners.get(cluster.core) ?? []) {
          listener();
        }
      }
    },
    lostAt: of => lost.get(of),
    onLost(of, listener) {
      const own = lossListeners.get(of) ?? new Set();
      lossListeners.set(of, own.add(listener));
      return () => own.delete(listener);
    },
    onServed: listener => listeners.push(listener),
    connect: process => {
      const own = workload.another(process.clock);
      const serving = (uid: string) => (request: Asked) => {
        const served = { ...request, process, cluster: uid, core: coreOf(uid) };
        for (const listener of listeners) {
          listener(served);
        }
      };
      return {
        api: {
          reads: (target, signal) =>
            overNetwork(own.api.reads(target, signal), { process, signal, serve: serving(target.cluster) }),
        },
        writers: target =>
          writesOverNetwork(own.writers(target), { process, signal: undefined, serve: serving(target.uid) }),
      };
    },
  };
}

function open(workload: MemoryWorkload, uid: string, now: () => Instant): SimulatedWorkloadCluster {
  const cluster = workload.cluster(uid);
  cluster.removesEvicted = false;
  return simulateWorkloadCluster(cluster.core, now);
}

const clusterKind = ['cluster.x-k8s.io/v1beta2', 'Cluster'] as const;
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const machineKind = [infrastructure, 'SimulatedMachine'] as const;
const poolKind = [infrastructure, 'SimulatedMachinePool'] as const;

interface MachinesOfCluster {
  readonly machines: readonly Unstructured[];
  readonly nodesOfPools: readonly SimulatedNode[];
  /** Those of the machines that have started. */
  started: number;
  nodes: readonly SimulatedNode[];
}

/** Returns the Nodes of a Cluster by its uid. Each request calls this, so nothing is read without a change. */
function createNodes(core: ApiCore, now: () => Instant): (uid: string) => readonly SimulatedNode[] {
  const changes = [clusterKind, machineKind, poolKind]
    .filter(kind => isServed(core, kind))
    .map(([apiVersion, kind]) => new TrackedObjects(core, apiVersion, kind));
  const known = new Map<string, MachinesOfCluster>();
  return uid => {
    if (changes.flatMap(each => each.takeChanges()).some(isOfMachines)) {
      known.clear();
    }
    const own = known.get(uid) ?? machinesOf(core, uid);
    known.set(uid, own);
    if (own.started < own.machines.length) {
      const started = nodesOfMachines(own.machines, now());
      own.started = started.length;
      own.nodes = [...started, ...own.nodesOfPools];
    }
    return own.nodes;
  };
}

/** Not every world has MachinePools. */
function isServed({ registry }: ApiCore, [apiVersion, kind]: readonly [string, string]): boolean {
  return registry.ofGroupKind(apiVersion, kind) !== undefined;
}

/** The status of a Cluster changes with each of its Machines. Only its creation and its end are relevant. */
function isOfMachines({ object, previous }: TrackedChange): boolean {
  return object === undefined || previous === undefined || object.kind !== clusterKind[1];
}

function machinesOf(core: ApiCore, uid: string): MachinesOfCluster {
  const list = (kind: readonly [string, string]): readonly Unstructured[] =>
    isServed(core, kind) ? core.list(core.registry.endpointOfKind(...kind), {}).items : [];
  const owner = list(clusterKind).find(({ metadata }) => metadata.uid === uid);
  const ofCluster = (kind: readonly [string, string]): readonly Unstructured[] =>
    list(kind).filter(
      ({ metadata }) =>
        metadata.namespace === owner?.metadata.namespace && metadata.labels?.[clusterLabel] === owner?.metadata.name,
    );
  const pools = nodesOfPools(ofCluster(poolKind));
  return { machines: ofCluster(machineKind), nodesOfPools: pools, started: 0, nodes: pools };
}

interface Network {
  readonly process: SimulatedProcess;
  readonly signal: AbortSignal | undefined;
  /** Called before a request takes effect. */
  serve(request: Asked): void;
}

type Asked = Omit<WorkloadRequest, 'process' | 'cluster' | 'core'>;

const writingVerbs: ReadonlySet<Asked['verb']> = new Set(['create', 'patch', 'delete', 'evict']);

function send<T>(
  { process, signal, serve }: Network,
  asked: Asked,
  perform: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const label = `workload ${asked.verb} ${asked.kind} ${asked.name}`;
  const isWrite = writingVerbs.has(asked.verb);
  return process.request<Answer<T>>({
    port: 'kubernetes',
    label,
    isWrite,
    signal,
    timeoutMs: requestTimeoutMs,
    perform() {
      serve(asked);
      return perform();
    },
    refused: (as: Refusal | 'aborted') => refused<T>(toApiFailure(as, { label, isWrite })),
  });
}

function toAsked(
  verb: Asked['verb'],
  { kind, namespace = '', name = '' }: Partial<ObjectRef> & { readonly kind: string },
): Asked {
  return { verb, kind, namespace, name };
}

function overNetwork(reads: WorkloadReads, network: Network): WorkloadReads {
  // True: the answer is that of the same overload.
  return {
    get: ((ref: ObjectRef, ...rest: []) =>
      send(network, toAsked('get', ref), () => reads.get(ref, ...rest))) as WorkloadReads['get'],
    list: ((query: Parameters<WorkloadReads['list']>[0], ...rest: []) =>
      send(network, toAsked('list', query), () => reads.list(query, ...rest))) as WorkloadReads['list'],
    nodes: () => send(network, toAsked('list', { kind: 'Node' }), () => reads.nodes()),
    resources: apiVersion =>
      send(network, toAsked('list', { kind: 'APIResource', name: apiVersion }), () => reads.resources(apiVersion)),
  };
}

function writesOverNetwork(writes: WorkloadWrites, network: Network): WorkloadWrites {
  const write = <T>(verb: Asked['verb'], ref: ObjectRef, perform: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    send(network, toAsked(verb, ref), perform);
  return {
    mergePatch: (ref, ...rest) => write('patch', ref, () => writes.mergePatch(ref, ...rest)),
    delete: (ref, options) =>
      send(network, { ...toAsked('delete', ref), ...withoutUndefined({ uid: options?.uid }) }, () =>
        writes.delete(ref, options),
      ),
    evict: (ref, options) =>
      send(network, { ...toAsked('evict', ref), uid: options.uid }, () => writes.evict(ref, options)),
    metadata: ref => write('metadata', ref, () => writes.metadata(ref)),
    createManifest: (object, place) => write('create', place, () => writes.createManifest(object, place)),
  };
}
