// A management cluster, its queues and a forwarder, with a clock that only tests advance.

import {
  type Answer,
  answered,
  type Kind,
  type ObjectMeta,
  type ObjectRef,
  refused,
} from '@capi-serverless/apimachinery';
import type { Declaration, SourceEvent, Watch } from '@capi-serverless/reconciler';
import { createForwarder, type Forwarder } from '../../../../functions/watch-forwarder/forwarder.ts';
import type { NodeAccess } from '../../../../functions/watch-forwarder/nodes/node-watches.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { type Expansion, parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { parseRequest, type Request } from '../../../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueName, QueueSender, SendOutcome } from '../../../../shared/workqueue/port.ts';
import { FakeWatches } from '../../../support/fake-watches.ts';
import { aDeclaration, aRecordingLog } from '../../../support/kernel.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { SteppedClock, settled } from '../../../support/stepped-clock.ts';

export const clusterKind: Kind = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  scope: 'Namespaced',
};
export const machineKind: Kind = { ...clusterKind, kind: 'Machine' };
export const infraKind: Kind = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'SimulatedCluster',
  scope: 'Namespaced',
};

/** Returns owners of kind Cluster, or an expansion. This is the Cluster reconciler's mapping for provider objects. */
function toOwners({ object }: SourceEvent): ReturnType<Watch['map']> {
  const { namespace = '', ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.filter(({ kind }) => kind === 'Cluster').map(({ name }) => ({ namespace, name }));
  return owners.length === 0 ? 'expand' : owners;
}

export const clusterDeclaration: Declaration = aDeclaration({
  name: 'cluster',
  primary: clusterKind,
  watches: [
    { source: machineKind, as: 'metadata', map: toOwners },
    { source: 'referenced', as: 'metadata', map: toOwners },
  ],
  references: kindsOfCluster,
});

export const infraDeclaration: Declaration = aDeclaration({ name: 'simulated-cluster', primary: infraKind });

/** Queues that tests can make unreachable. They count the calls to SQS. */
export class SwitchedQueues implements QueueSender {
  readonly #queues: MemoryQueues;
  outage: ReadonlySet<QueueName> = new Set();
  calls = 0;

  constructor(queues: MemoryQueues) {
    this.#queues = queues;
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]> {
    this.calls += Math.ceil(messages.length / 10);
    if (this.outage.has(queue)) {
      return messages.map(() => ({ ok: false, error: new Error(`Queue ${queue} is unreachable`) }));
    }
    return this.#queues.send(queue, messages);
  }
}

interface WorldOptions {
  readonly declarations?: readonly Declaration[];
  readonly served?: readonly Kind[];
  readonly watchFilter?: string;
  readonly nodes?: NodeAccess;
}

export class WatchForwarderWorld {
  readonly clock = new SteppedClock();
  readonly api: FakeWatches;
  readonly queues: MemoryQueues;
  readonly send: SwitchedQueues;
  readonly log = aRecordingLog();
  readonly metrics = createMetricsRegistry();
  readonly crdLabels = new Map<string, Readonly<Record<string, string>>>();
  readonly #options: WorldOptions;
  #stop = new AbortController();
  #ids = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.api = new FakeWatches(...(options.served ?? [clusterKind, machineKind]));
    const names = ['expand', ...this.#declarations.map(({ name }) => `work-${name}.fifo`)];
    this.queues = new MemoryQueues({
      clock: this.clock,
      queues: names.map(name => ({ name, visibilityTimeoutSeconds: 180 })),
    });
    this.send = new SwitchedQueues(this.queues);
  }

  get #declarations(): readonly Declaration[] {
    return this.#options.declarations ?? [clusterDeclaration];
  }

  /** Starts a forwarder and waits until the first lists are sent. */
  async start(): Promise<{ readonly forwarder: Forwarder; readonly stop: () => Promise<void> }> {
    const forwarder = createForwarder({
      declarations: this.#declarations,
      kubernetes: { reads: { metadata: ref => this.#readCrd(ref) }, watches: this.api },
      queues: this.send,
      managementCluster: 'mgmt',
      clock: this.clock,
      newId: () => {
        this.#ids += 1;
        return `id-${this.#ids}`;
      },
      watchFilter: this.#options.watchFilter ?? '',
      log: this.log,
      metrics: this.metrics,
      ...(this.#options.nodes === undefined ? {} : { nodes: this.#options.nodes }),
    });
    this.#stop = new AbortController();
    const ended = forwarder.run(this.#stop.signal);
    await this.clock.advance(0);
    return {
      forwarder,
      stop: async () => {
        this.#stop.abort();
        const isOver = ended.then(() => true);
        for (let second = 0; second < 60 && !(await Promise.race([isOver, settled()])); second += 1) {
          await this.clock.advance(1_000);
        }
        await ended;
      },
    };
  }

  /** Returns the requests on a work queue in the order of sending. */
  requests(reconciler = 'cluster'): readonly Request[] {
    return this.queues.messages(`work-${reconciler}.fifo`).map(({ body }) => parseRequest(body));
  }

  /** Returns the requests on a work queue as `name cause sources`. */
  requestTexts(reconciler = 'cluster'): readonly string[] {
    return this.requests(reconciler).map(
      ({ key, cause, sources }) => `${key.namespace}/${key.name} ${cause} ${sources?.join(' ')}`,
    );
  }

  expansions(): readonly Expansion[] {
    return this.queues.messages('expand').map(({ body }) => parseExpansion(body));
  }

  /** Returns the sum of a counter over all labels. */
  counted(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.metrics
      .snapshot()
      .filter(value => value.name === name && Object.entries(labels).every(([key, one]) => value.labels[key] === one))
      .reduce((sum, { count }) => sum + count, 0);
  }

  async #readCrd({ name }: ObjectRef): Promise<Answer<ObjectMeta>> {
    this.api.asked.push(`crd ${name}`);
    const labels = this.crdLabels.get(name);
    return labels === undefined
      ? refused({ reason: 'NotFound', code: 404, message: `CRD ${name} not found` })
      : answered({ name, uid: `uid-${name}`, resourceVersion: '1', labels });
  }
}
