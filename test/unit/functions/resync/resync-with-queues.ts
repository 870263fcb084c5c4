// A management cluster and its queues, for the tests of resync and expand.

import { type Kind, toDisplayName } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import type { ResyncOptions } from '../../../../functions/resync/options.ts';
import { resync } from '../../../../functions/resync/resync.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { type Expansion, parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { parseRequest, type Request } from '../../../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueName, SendOutcome } from '../../../../shared/workqueue/port.ts';
import { expandQueue } from '../../../../shared/workqueue/queue-names.ts';
import { FakeWatches } from '../../../support/fake-watches.ts';
import { aDeclaration, aRecordingLog, widgetKind } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

export const clusterKind: Kind = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  scope: 'Namespaced',
};
export const infraApiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';

interface Sent {
  readonly queue: QueueName;
  readonly delaySeconds: number | undefined;
  readonly request: Request;
}

interface SentExpansion {
  readonly body: string;
  readonly delaySeconds: number | undefined;
  readonly expansion: Expansion;
}

export class ResyncWorld {
  readonly api: FakeWatches;
  /** The API server for all other requests, such as those for the ConfigMap. */
  readonly server = createMemoryApi();
  readonly log = aRecordingLog();
  readonly sent: Sent[] = [];
  /** The expansions that are tried again. */
  readonly expansions: SentExpansion[] = [];
  /** Requests for these names, and messages to these queues, are refused. */
  readonly refused = new Set<string>();
  readonly deadline = new AbortController();
  readonly #declarations: readonly Declaration[];
  #ids = 0;

  constructor(declarations: readonly Declaration[] = [aDeclaration()], served: readonly Kind[] = [widgetKind]) {
    this.#declarations = declarations;
    this.api = new FakeWatches(...served);
  }

  options(change: Partial<ResyncOptions> = {}): ResyncOptions {
    return {
      declarations: this.#declarations,
      kubernetes: this.server.kubernetes,
      watches: this.api,
      clock: this.server.clock,
      metrics: createMetricsRegistry(),
      stateNamespace: 'kube-system',
      periodSeconds: 600,
      fullPeriodSeconds: 86_400,
      queues: { send: (queue, messages) => this.#send(queue, messages) },
      managementCluster: 'mgmt',
      newId: () => {
        this.#ids += 1;
        return `id-${this.#ids}`;
      },
      watchFilter: '',
      layout: 'per-kind',
      log: this.log,
      signal: this.deadline.signal,
      ...change,
    };
  }

  /** Runs the resync at the next time of its schedule. Returns its messages, sorted. */
  async run(change: Partial<ResyncOptions> = {}): Promise<readonly string[]> {
    await this.server.clock.advance((change.periodSeconds ?? 600) * 1000);
    return this.runAgain(change);
  }

  /** Runs the resync without waiting. */
  runAgain(change: Partial<ResyncOptions> = {}): Promise<readonly string[]> {
    return this.#messagesOf(() => resync(this.options(change)));
  }

  /** Runs the resync at the next time of its schedule. Returns the text of its error as well. */
  async runWithError(change: Partial<ResyncOptions> = {}): Promise<{ messages: readonly string[]; error: string }> {
    let error = '';
    await this.server.clock.advance((change.periodSeconds ?? 600) * 1000);
    const messages = await this.#messagesOf(() =>
      resync(this.options(change)).catch((thrown: unknown) => {
        error = String(thrown);
      }),
    );
    return { messages, error };
  }

  async #messagesOf(run: () => Promise<void>): Promise<readonly string[]> {
    const [messages, expansions] = [this.sent.length, this.expansions.length];
    await run();
    return [
      ...this.sent.slice(messages).map(({ request: { reconciler, key } }) => `${reconciler} ${toDisplayName(key)}`),
      ...this.expansions.slice(expansions).map(({ expansion: { reconciler, source } }) => {
        const { kind, name = '*' } = source;
        return `expand ${reconciler} ${kind} ${name}`;
      }),
    ].toSorted();
  }

  /** Returns `queue namespace/name`, sorted. */
  messageTexts(): readonly string[] {
    return this.sent.map(({ queue, request: { key } }) => `${queue} ${key.namespace}/${key.name}`).toSorted();
  }

  async #send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]> {
    return messages.map(({ body, delaySeconds }) => {
      if (queue === expandQueue) {
        return this.#takeExpansion(body, delaySeconds);
      }
      const request = parseRequest(body);
      if (this.refused.has(request.key.name)) {
        return { ok: false, error: new Error('Throttled') };
      }
      this.sent.push({ queue, delaySeconds, request });
      return { ok: true };
    });
  }

  #takeExpansion(body: string, delaySeconds: number | undefined): SendOutcome {
    if (this.refused.has(expandQueue)) {
      return { ok: false, error: new Error('Throttled') };
    }
    this.expansions.push({ body, delaySeconds, expansion: parseExpansion(body) });
    return { ok: true };
  }
}
