// The clients of workload clusters: reads as a port, writes for actions. One client per Cluster and kubeconfig.
import {
  type Answer,
  type Checked,
  type Clock,
  type ListQuery,
  type ObjectRef,
  type Parser,
  refused,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import type { WorkloadWriters, WorkloadWrites } from '@capi-serverless/reconciler/runner';
import { setNewest } from '../../bounded-map.ts';
import { parseOnce } from '../../certificates/parse-once.ts';
import type { WorkloadApi, WorkloadReads } from '../../workload/api.ts';
import { ConnectionGate } from '../../workload/connection-gate.ts';
import { NodeScans } from '../../workload/node-scan.ts';
import type { ProbeTarget } from '../../workload/port.ts';
import { RequestSlots } from '../../workload/request-slots.ts';
import { unconnectedWrites } from '../../workload/unconnected.ts';
import type { InlineKubeconfig } from '../credentials/kubeconfig.ts';
import { newLargeAnswers } from './answer-body.ts';
import type { ConnectionLimits } from './connection.ts';
import { evictPod } from './evict-pod.ts';
import { RestObjects, type Send } from './objects.ts';
import { type AnswerProgress, type AnswerSize, type ApiCall, Requester, toSummary } from './requester.ts';
import { checkedAnswer } from './workload-answers.ts';
import type { WorkloadAccess } from './workload-connection.ts';
import { workloadCredentials } from './workload-credentials.ts';
import { readResources } from './workload-resources.ts';

const defaultLimits: ConnectionLimits = {
  connectTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxSockets: 8,
  largeAnswers: newLargeAnswers(),
};

/**
 * The maximum size of the result of a list. A value takes up to 60 bytes, so a result takes up to 26 MiB. A batch has ten
 * objects, and a function has 512 MiB.
 */
const largestResult: AnswerSize = { bytes: 8 * 1024 * 1024, values: 300_000 };

/**
 * The maximum number of JSON values of one object. A Node has some thousand, a large CustomResourceDefinition 50,000. A
 * batch of ten objects may keep ten of them.
 */
const largestObject = 100_000;

/** The maximum number of clients. With all their sockets they use less than half of the 1,024 files of a function. */
const capacity = 50;

interface WorkloadClientsOptions extends WorkloadAccess {
  /** The name of the sender in request facts. It is the name of the function. */
  readonly client: string;
  readonly clock: Clock;
  readonly limits?: Partial<ConnectionLimits>;
  /** Default: 50. */
  readonly capacity?: number;
}

export interface WorkloadClients {
  readonly api: WorkloadApi;
  readonly writers: WorkloadWriters;
}

/**
 * Opens connections on demand and keeps them alive. If there are too many clients, the least recently used one is
 * dropped. Writes use the client of the latest reads of their Cluster.
 */
export function createWorkloadClients(options: WorkloadClientsOptions): WorkloadClients {
  const clients = new Map<string, WorkloadClient>();
  const most = options.capacity ?? capacity;
  const kubeconfigs = parseOnce<InlineKubeconfig>();

  function clientOf(target: ProbeTarget): WorkloadClient {
    const { cluster, version } = target;
    const known = clients.get(cluster);
    const isCurrent = known?.version === version;
    const client = isCurrent
      ? known
      : new WorkloadClient(version, connect(target, options, kubeconfigs), options.clock);
    setNewest(clients, cluster, client, most)?.close();
    if (!isCurrent) {
      known?.close();
    }
    for (const each of clients.values()) {
      each.scans.forgetOld();
    }
    return client;
  }

  return {
    api: { reads: (target, signal) => clientOf(target).reads(signal) },
    writers: ({ uid }) => clients.get(uid)?.writes ?? unconnectedWrites,
  };
}

async function connect(
  target: ProbeTarget,
  { addresses, client, userAgent, limits }: WorkloadClientsOptions,
  kubeconfigs: ReturnType<typeof parseOnce<InlineKubeconfig>>,
): Promise<Checked<Requester>> {
  const access = await workloadCredentials(target, addresses, kubeconfigs);
  if (!access.ok) {
    return access;
  }
  const { credentials, limits: resolving } = access.value;
  return valid(
    new Requester({ credentials, client, userAgent, limits: { ...defaultLimits, ...limits, ...resolving } }),
  );
}

/** Only the fields that a scan keeps are parsed. */
const scannedNodes = { apiVersion: 'v1', kind: 'Node', as: 'object', parts: ['spec.providerID'] } as const;

class WorkloadClient {
  readonly version: string;
  readonly writes: WorkloadWrites;
  readonly scans: NodeScans;
  readonly #requester: Promise<Checked<Requester>>;
  readonly #gate: ConnectionGate;
  readonly #slots: RequestSlots;

  constructor(version: string, requester: Promise<Checked<Requester>>, clock: Clock) {
    this.version = version;
    this.#requester = requester;
    this.#gate = new ConnectionGate(clock);
    this.#slots = new RequestSlots(defaultLimits.maxSockets, clock);
    this.scans = new NodeScans(clock);
    this.writes = this.#createWrites();
  }

  reads(signal: AbortSignal): WorkloadReads {
    const objects = new RestObjects(call => this.#send(call, signal), largestResult);
    async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
    async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
    async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
      return parse === undefined ? objects.get(ref) : objects.get(ref, parse);
    }
    async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
    async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
    async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
      return parse === undefined ? objects.list(query) : objects.list(query, parse);
    }
    return {
      get,
      list,
      nodes: () => this.scans.nodes(options => objects.page(scannedNodes, options), signal),
      resources: apiVersion => readResources(call => this.#send(call, signal), apiVersion),
    };
  }

  /** Closes the sockets that currently have no request. */
  close(): void {
    void this.#requester.then(requester => {
      if (requester.ok) {
        requester.value.dropIdleSockets();
      }
    });
  }

  #createWrites(): WorkloadWrites {
    // The time limits of a request bound writes, as those of a pass may be over when its actions begin.
    const { signal } = new AbortController();
    const send: Send = call => this.#send(call, signal);
    const objects = new RestObjects(send);
    return {
      mergePatch: (ref, body, options) => objects.mergePatch(ref, body, options),
      delete: (ref, options) => objects.delete(ref, options),
      metadata: ref => objects.metadata(ref),
      evict: (pod, options) => evictPod(send, pod, options),
      createManifest: (object, place) => objects.createManifest(object, place),
    };
  }

  async #send(call: ApiCall, signal: AbortSignal): Promise<Answer<unknown>> {
    const { label, isWrite } = toSummary(call);
    const answer = await this.#slots.send({
      label,
      signal,
      send: () =>
        this.#gate.send({
          label,
          signal,
          isWrite,
          send: ({ signal: limit, onHead }) => this.#sendNow(call, limit, { onHead }),
        }),
    });
    return checkedAnswer(call, answer, label);
  }

  async #sendNow(call: ApiCall, signal: AbortSignal, progress: AnswerProgress): Promise<Answer<unknown>> {
    const { label } = toSummary(call);
    const requester = await this.#requester;
    if (!requester.ok) {
      return refused({ reason: 'Unavailable', message: `${label}: ${requester.error}` });
    }
    try {
      const bounded = call.verb === 'list' ? call : { ...call, mostValues: largestObject };
      return await requester.value.send(bounded, signal, progress);
    } catch (thrown) {
      // The TLS library refuses some certificates and keys only when it connects.
      return refused({ reason: 'Unavailable', message: `${label}: ${toError(thrown).message}` });
    }
  }
}
