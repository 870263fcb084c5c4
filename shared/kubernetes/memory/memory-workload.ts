// Workload clusters in memory, for tests and the simulation. Their connections can fail as real ones do.
import {
  type Answer,
  type ApiFailure,
  answered,
  type Clock,
  type Evictions,
  type EvictOptions,
  groupOf,
  type Intent,
  type Kubernetes,
  type ListQuery,
  type ObjectRef,
  type Parser,
  refused,
  toDisplayName,
  type Unstructured,
  versionOf,
} from '@capi-serverless/apimachinery';
import { type ApiCore, createApiCore } from '@capi-serverless/apiserver/core';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import type { WorkloadWriters, WorkloadWrites } from '@capi-serverless/reconciler/runner';
import type { ServedResource, WorkloadApi, WorkloadReads } from '../../workload/api.ts';
import { ConnectionGate } from '../../workload/connection-gate.ts';
import { toManifestBody } from '../../workload/manifest-body.ts';
import { NodeScans } from '../../workload/node-scan.ts';
import type { ProbeTarget } from '../../workload/port.ts';
import { unconnectedWrites } from '../../workload/unconnected.ts';
import { createMemoryEvictions, createMemoryKubernetes } from './memory-kubernetes.ts';

/** 'hanging': requests get no answer. 'unauthorized': requests are answered with 401. */
export type WorkloadFault = 'down' | 'hanging' | 'unauthorized';

/** The time limit of a request, as in the REST adapter. */
const requestTimeoutMs = 10_000;

export interface MemoryWorkloadCluster {
  readonly core: ApiCore;
  /** A client without faults. */
  readonly kubernetes: Kubernetes;
  /** The number of requests that the reconcilers' client has sent. */
  readonly sent: number;
  /** Applies to all further requests of the reconcilers' client. `undefined` ends the fault. */
  fault: WorkloadFault | undefined;
  /**
   * Whether an evicted Pod is removed at once, as if its Node had no grace period. If false, it is terminating until
   * another client deletes it. Default: true.
   */
  removesEvicted: boolean;
  /** Refuses evictions of this Pod with this failure. `undefined` ends it. */
  refuseEvictions(pod: Pick<ObjectRef, 'namespace' | 'name'>, failure: ApiFailure | undefined): void;
}

export interface MemoryWorkload {
  readonly api: WorkloadApi;
  readonly writers: WorkloadWriters;
  /** Returns the workload cluster of the Cluster with this uid. It is created on the first call. */
  cluster(uid: string): MemoryWorkloadCluster;
  /** Returns the clients of another process for the same workload clusters. */
  another(clock: Clock): MemoryWorkload;
}

interface MemoryWorkloadOptions {
  readonly clock: Clock;
  readonly ids: Parameters<typeof createApiCore>[0]['ids'];
  /** The fault of new clusters. Default: none. */
  readonly fault?: WorkloadFault;
  /**
   * Returns the API server of a kubeconfig, or undefined if nothing answers there. Evicted Pods are terminating there.
   * Default: each Cluster has its own API server.
   */
  readonly coreOf?: (target: ProbeTarget) => ApiCore | undefined;
}

export function createMemoryWorkload(options: MemoryWorkloadOptions): MemoryWorkload {
  return connect(options, { clusters: new Map(), clock: options.clock });
}

interface Process {
  readonly clusters: Map<string, Cluster>;
  readonly clock: Clock;
}

function connect(options: MemoryWorkloadOptions, { clusters, clock }: Process): MemoryWorkload {
  const { fault, coreOf } = options;
  const clients = new Map<string, Client>();
  const clusterOf = (uid: string): Cluster => {
    const cluster = clusters.get(uid) ?? new Cluster(createCore(options), { clock: options.clock, fault });
    clusters.set(uid, cluster);
    return cluster;
  };
  const clusterAt = (target: ProbeTarget): Cluster => {
    const core = coreOf?.(target);
    const cluster = new Cluster(core ?? createCore(options), { clock, fault: core === undefined ? 'down' : fault });
    cluster.removesEvicted = false;
    return cluster;
  };
  return {
    api: {
      reads: (target, signal) => {
        const { cluster: uid, version } = target;
        const known = clients.get(uid);
        const open = (): Cluster => (coreOf === undefined ? clusterOf(uid) : clusterAt(target));
        const client = known?.version === version ? known : new Client(version, open(), clock);
        clients.set(uid, client);
        return client.reads(signal);
      },
    },
    writers: ({ uid }) => clients.get(uid)?.writes ?? unconnectedWrites,
    cluster: clusterOf,
    another: other => connect(options, { clusters, clock: other }),
  };
}

function createCore({ clock, ids }: Pick<MemoryWorkloadOptions, 'clock' | 'ids'>): ApiCore {
  return createApiCore({ now: () => clock.now(), ids, kinds: workloadKinds });
}

interface ClusterOptions {
  readonly clock: Clock;
  readonly fault: WorkloadFault | undefined;
}

class Cluster implements MemoryWorkloadCluster {
  readonly core: ApiCore;
  readonly kubernetes: Kubernetes;
  sent = 0;
  fault: WorkloadFault | undefined;
  removesEvicted = true;
  readonly #refusals = new Map<string, ApiFailure>();
  readonly #evictions: Evictions;

  constructor(core: ApiCore, { clock, fault }: ClusterOptions) {
    this.fault = fault;
    this.core = core;
    this.kubernetes = createMemoryKubernetes(this.core, { client: 'workload', clock });
    this.#evictions = createMemoryEvictions(this.core, { client: 'workload' });
  }

  refuseEvictions(pod: Pick<ObjectRef, 'namespace' | 'name'>, failure: ApiFailure | undefined): void {
    if (failure === undefined) {
      this.#refusals.delete(toDisplayName(pod));
    } else {
      this.#refusals.set(toDisplayName(pod), failure);
    }
  }

  async evict(pod: ObjectRef, options: EvictOptions): Promise<Answer<undefined>> {
    const refusal = this.#refusals.get(toDisplayName(pod));
    return refusal === undefined
      ? this.#evictions.evict(pod, this.removesEvicted ? { ...options, gracePeriodSeconds: 0 } : options)
      : refused(refusal);
  }
}

interface Sending {
  readonly label: string;
  readonly signal: AbortSignal;
  readonly isWrite: boolean;
}

class Client {
  readonly version: string;
  readonly writes: WorkloadWrites;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #gate: ConnectionGate;
  readonly #scans: NodeScans;

  constructor(version: string, cluster: Cluster, clock: Clock) {
    this.version = version;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#gate = new ConnectionGate(clock);
    this.#scans = new NodeScans(clock);
    this.writes = this.#createWrites();
  }

  reads(signal: AbortSignal): WorkloadReads {
    const { kubernetes } = this.#cluster;
    const send = <T>(label: string, perform: () => Promise<Answer<T>>): Promise<Answer<T>> =>
      this.#send({ label, signal, isWrite: false }, perform);
    async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
    async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
    async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
      return send<Unstructured | T>(`get ${ref.kind} ${toDisplayName(ref)}`, () =>
        parse === undefined ? kubernetes.get(ref) : kubernetes.get(ref, parse),
      );
    }
    async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
    async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
    async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
      return send<readonly (Unstructured | T)[]>(`list ${query.kind}`, () =>
        parse === undefined ? kubernetes.list(query) : kubernetes.list(query, parse),
      );
    }
    const nodes = { apiVersion: 'v1', kind: 'Node', as: 'object' } as const;
    return {
      get,
      list,
      nodes: () =>
        this.#scans.nodes(
          options => send('list Node', () => kubernetes.watches.page(nodes, { ...options, signal })),
          signal,
        ),
      resources: apiVersion =>
        send(`get ${apiVersion}`, async () => answered(servedResources(this.#cluster.core, apiVersion))),
    };
  }

  #createWrites(): WorkloadWrites {
    const { kubernetes } = this.#cluster;
    const { signal } = new AbortController();
    const send = <T>(verb: string, { kind, ...named }: ObjectRef, perform: () => Promise<Answer<T>>) =>
      this.#send({ label: `${verb} ${kind} ${toDisplayName(named)}`, signal, isWrite: verb !== 'get' }, perform);
    return {
      mergePatch: (ref, body, options) => send('patch', ref, () => kubernetes.mergePatch(ref, body, options)),
      delete: (ref, options) => send('delete', ref, () => kubernetes.delete(ref, options)),
      metadata: ref => send('get', ref, () => kubernetes.metadata(ref)),
      evict: (pod, options) => send('evict', pod, () => this.#cluster.evict(pod, options)),
      createManifest: (object, place) =>
        // True: the place has the apiVersion and the kind of the object, which is not sent without one of both names.
        send('create', place, () => kubernetes.create(toManifestBody(object, place) as Intent)),
    };
  }

  #send<T>(sending: Sending, perform: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const cluster = this.#cluster;
    const { label } = sending;
    return this.#gate.send({
      ...sending,
      send: async ({ signal: limit, onHead }) => {
        cluster.sent += 1;
        switch (cluster.fault) {
          case undefined:
            onHead(200);
            return perform();
          case 'down':
            return refused({ reason: 'Unavailable', message: `${label}: connect ECONNREFUSED` });
          case 'unauthorized':
            onHead(401);
            return refused({ reason: 'Unauthorized', code: 401, message: 'Unauthorized' });
          case 'hanging':
            return hang(sending, limit, this.#clock);
        }
      },
    });
  }
}

function servedResources({ registry }: ApiCore, apiVersion: string): readonly ServedResource[] {
  return registry
    .all()
    .filter(({ group }) => group === groupOf(apiVersion))
    .filter(({ versions }) => versions.some(({ name }) => name === versionOf(apiVersion)))
    .map(({ kind, plural, namespaced }) => ({ kind, plural, isNamespaced: namespaced }));
}

/** Fails when the signal aborts or the time limit of a request is over. */
async function hang<T>({ label, isWrite }: Sending, signal: AbortSignal, clock: Clock): Promise<Answer<T>> {
  await clock.sleep(requestTimeoutMs, signal);
  const why = signal.aborted
    ? 'aborted before an answer came'
    : `no complete answer within ${requestTimeoutMs / 1000} s`;
  const reason = signal.aborted ? 'Aborted' : 'Unavailable';
  return refused({ reason: isWrite ? 'UnknownOutcome' : reason, message: `${label}: ${why}` });
}
