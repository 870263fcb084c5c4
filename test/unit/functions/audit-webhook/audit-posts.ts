// Helpers for tests of the audit webhook: posts of an API server, and recorded queues.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Declaration } from '@capi-serverless/reconciler';
import { createAuditSources } from '../../../../functions/audit-webhook/audit-sources.ts';
import { enqueueEvents } from '../../../../functions/audit-webhook/enqueue-events.ts';
import type { AuditEvent } from '../../../../functions/audit-webhook/event.ts';
import { serveHttp } from '../../../../functions/audit-webhook/http.ts';
import { serveLogs } from '../../../../functions/audit-webhook/logs.ts';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { simulatedCluster } from '../../../../local/provider/simulated-cluster.ts';
import type { HttpRequest, HttpResponse } from '../../../../shared/http/request.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { type Expansion, parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { parseRequest, type Request } from '../../../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueName, SendOutcome } from '../../../../shared/workqueue/port.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

export const token = 'correct-horse-battery-staple';
export const infraGroup = 'infrastructure.cluster.x-k8s.io';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/audit');
export const recordedNames: readonly string[] = readdirSync(folder).filter(file => file.endsWith('.json'));

/** Returns the body as the API server posted it. */
export function recordedBody(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

/** An event in a recorded body: any JSON object. */
export type RawEvent = Record<string, unknown>;

/** Returns the only event of a recorded body, with changes. */
export function recordedEvent(name: string, change: RawEvent = {}): RawEvent {
  const [event] = JSON.parse(recordedBody(name)).items;
  return { ...event, ...change };
}

export function aBody(...items: readonly unknown[]): string {
  return JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
}

/** Returns the event that a Function URL passes: text unchanged, bytes as base64. */
export function aPost(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | undefined>> = {},
): HttpRequest {
  const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return {
    version: '2.0',
    rawPath: '/',
    rawQueryString: '',
    headers: Object.fromEntries(given),
    requestContext: { http: { method: 'POST' } },
    body: typeof body === 'string' ? body : Buffer.from(body).toString('base64'),
    isBase64Encoded: typeof body !== 'string',
  };
}

/** The payload of a delivery of a log subscription: base64 of gzip of JSON. */
export function aDelivery(messages: readonly string[], messageType = 'DATA_MESSAGE'): string {
  const logEvents = messages.map((message, id) => ({ id: String(id), timestamp: 1_700_000_000_000, message }));
  const delivery = {
    messageType,
    owner: '123456789012',
    logGroup: '/aws/eks/management/cluster',
    logStream: 'kube-apiserver-audit-1234567890abcdef',
    subscriptionFilters: ['audit'],
    logEvents,
  };
  return gzipSync(JSON.stringify(delivery)).toString('base64');
}

interface Sent extends OutgoingMessage {
  readonly queue: QueueName;
}

export interface AuditWebhookWorldOptions {
  readonly declarations?: readonly Declaration[];
  readonly watchFilter?: string;
}

export class AuditWebhookWorld {
  readonly sent: Sent[] = [];
  readonly log = aRecordingLog();
  readonly metrics = createMetricsRegistry();
  readonly clock = new SteppedClock();
  tokens: readonly string[] = [token];
  /** Returns the outcome of each message. */
  answer: (queue: QueueName, message: OutgoingMessage) => SendOutcome = () => ({ ok: true });
  readonly #options: AuditWebhookWorldOptions;
  #ids = 0;

  constructor(options: AuditWebhookWorldOptions = {}) {
    this.#options = options;
  }

  post(body: string | Uint8Array, headers: Readonly<Record<string, string | undefined>> = {}): Promise<HttpResponse> {
    return this.request(aPost(body, headers));
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    return serveHttp({ ...this.#wiring(), tokens: { current: async () => this.tokens } }, request);
  }

  deliver(data: string): Promise<void> {
    return serveLogs(this.#wiring(), data);
  }

  /** Returns requests on work queues in the order of sending. */
  requests(): readonly Request[] {
    return this.sent.filter(({ queue }) => queue.startsWith('work-')).map(({ body }) => parseRequest(body));
  }

  /** Returns `reconciler namespace/name cause sources`, sorted. */
  requestTexts(): readonly string[] {
    return this.requests()
      .map(({ reconciler, key, cause, sources = [] }) =>
        [reconciler, `${key.namespace}/${key.name}`, cause, ...sources].join(' '),
      )
      .toSorted();
  }

  expansions(): readonly Expansion[] {
    return this.sent.filter(({ queue }) => queue === 'expand').map(({ body }) => parseExpansion(body));
  }

  /** Returns `reconciler Kind namespace/name`, sorted. `*` means a source without a name. */
  lookedUp(): readonly string[] {
    return this.expansions()
      .map(({ reconciler, source: { kind, namespace, name } }) => `${reconciler} ${kind} ${namespace}/${name ?? '*'}`)
      .toSorted();
  }

  /** Returns counts by `reason`. */
  counted(name: string): Readonly<Record<string, number>> {
    const values = this.metrics.snapshot().filter(value => value.name === name);
    return Object.fromEntries(values.map(({ labels, count }) => [labels['reason'] ?? labels['queue'] ?? '', count]));
  }

  #wiring() {
    const { declarations = [clusterReconciler.declaration, simulatedCluster.declaration], watchFilter = '' } =
      this.#options;
    const options = {
      functionName: 'audit-webhook',
      log: this.log,
      metrics: this.metrics,
      clock: this.clock,
      watchFilter,
      managementCluster: 'mgmt',
      newId: () => {
        this.#ids += 1;
        return `id-${this.#ids}`;
      },
      queues: {
        send: async (queue: QueueName, all: readonly OutgoingMessage[]) => all.map(one => this.#send(queue, one)),
      },
      sources: createAuditSources(declarations, [infraGroup, 'controlplane.cluster.x-k8s.io']),
    };
    return { ...options, enqueueEvents: (events: readonly AuditEvent[]) => enqueueEvents(options, events) };
  }

  #send(queue: QueueName, message: OutgoingMessage): SendOutcome {
    const outcome = this.answer(queue, message);
    if (outcome.ok) {
      this.sent.push({ queue, ...message });
    }
    return outcome;
  }
}
