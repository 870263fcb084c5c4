// Work queue, delay queue, timer and resync functions with event source mappings, and a fake reconciler. Supports any
// queues and any clock.

import type { Clock, Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { Result } from '@capi-serverless/reconciler';
import type { SQSEvent } from 'aws-lambda';
import { resync } from '../../functions/resync/resync.ts';
import { forward } from '../../functions/timer/forward.ts';
import { type EventSourceMapping, startEventSourceMapping, toVerdict } from '../../local/event-source-mapping.ts';
import type { LocalFunction } from '../../local/local-lambda.ts';
import { type Schedule, startSchedule } from '../../local/schedule.ts';
import { reconcileBatch } from '../../shared/kernel/batch.ts';
import { sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics-registry.ts';
import { messageVersion, type Request } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName, Queues, SendOutcome } from '../../shared/workqueue/port.ts';
import { delayQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import {
  type Consumer,
  largestBatch,
  type QueueSpec,
  toConsumers,
  toQueueSpecs,
} from '../../shared/workqueue/queue-specs.ts';
import { aDeclaration, aReconciler, aRecordingLog, widgetKind } from './kernel.ts';
import type { MemoryApi } from './memory-api.ts';

const reconciler = 'widget';
export const workQueue: QueueName = workQueueOf(reconciler);
const managementCluster = 'mc-1';
const usualTimeoutSeconds = 3;

const consumers: readonly Consumer[] = toConsumers([{ name: reconciler, timeoutSeconds: usualTimeoutSeconds }]);

/** The queues, including dead-letter queues. */
export const worldQueues: readonly QueueSpec[] = toQueueSpecs(consumers);

/** One reconcile of one object. */
export interface Visit {
  readonly name: string;
  readonly resourceVersion: string;
  readonly startedAt: Instant;
}

/** The time of an invocation's crash: before its work, or after the work but before the response. */
export type CrashPoint = 'before' | 'after';

export interface QueueWorldOptions {
  readonly queues: Queues;
  readonly clock: Clock;
  /** Stores the objects of kind Widget with the names `ns/<name>`. */
  readonly api: MemoryApi;
  /** Returns the result of a reconcile. */
  readonly plan: (visit: Visit, primary: Unstructured) => Result;
  /** The duration of a reconcile. Default: 0. */
  readonly workMs?: number;
  /** The resync period. Default: no resync runs. */
  readonly resyncPeriodSeconds?: number;
  readonly crash?: (event: SQSEvent) => CrashPoint | undefined;
  /** The timeout of each function. Default: 3. */
  readonly timeoutSeconds?: number;
  /**
   * The time until the queue delivers the messages of a crashed invocation, and those that a response reports as
   * failed. Default: the visibility timeout of the queue.
   */
  readonly redeliverySeconds?: number;
  /** Returns true if the queue rejects a follow-up of the functions. */
  readonly refuse?: (queue: QueueName, message: OutgoingMessage) => boolean;
}

export class QueueWorld {
  /** The reconciles in the order of their start. */
  readonly visits: Visit[] = [];
  /** The objects that were reconciled twice at the same time. */
  readonly overlaps: string[] = [];
  readonly log = aRecordingLog();
  readonly metrics = createMetricsRegistry();
  readonly #options: QueueWorldOptions;
  readonly #busy = new Set<string>();
  #running: (EventSourceMapping | Schedule)[] = [];
  #ids = 0;

  constructor(options: QueueWorldOptions) {
    this.#options = options;
  }

  /** Restarts every function. */
  start(): void {
    const { clock, resyncPeriodSeconds = 0 } = this.#options;
    const common = { queues: this.#options.queues, clock, log: this.log };
    this.#running = [
      startEventSourceMapping({
        ...common,
        queue: workQueue,
        batchSize: largestBatch,
        target: this.#mortal(workQueue, this.#worker()),
      }),
      startEventSourceMapping({
        ...common,
        queue: delayQueue,
        batchSize: largestBatch,
        target: this.#mortal(delayQueue, this.#timer()),
      }),
    ];
    if (resyncPeriodSeconds > 0) {
      const target = { name: 'resync', timeoutSeconds: 120, handler: () => this.#resync() };
      const schedule = { name: 'resync', periodMs: resyncPeriodSeconds * 1000, target, clock, log: this.log };
      this.#running.push(startSchedule(schedule));
    }
  }

  /** Stops every function. Invocations in progress finish. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = [];
    await Promise.all(running.map(part => part.stop()));
  }

  /** Sends an event, like a watch. */
  async sendEvent(
    { name, uid, resourceVersion }: Unstructured['metadata'],
    change: Partial<Request> = {},
  ): Promise<void> {
    const { group, kind } = widgetKind;
    const key = { managementCluster, group, kind, namespace: 'ns', name };
    const sources = [`${uid}@${resourceVersion}`];
    const request = { v: messageVersion, reconciler, key, cause: 'event', attempt: 0, sources, trace: name } as const;
    const message = toWorkMessage({ ...request, ...change }, this.#newId);
    const [outcome] = await this.#options.queues.send(workQueue, [message]);
    if (outcome?.ok !== true) {
      throw new Error(`Queue ${workQueue} did not take the event`, { cause: outcome?.error });
    }
  }

  /** Returns the number of messages in all queues. */
  async pending(): Promise<number> {
    const depths = await Promise.all(consumers.map(({ queue }) => this.#options.queues.depth(queue)));
    return depths.reduce((sum, { visible, inFlight, delayed }) => sum + visible + inFlight + delayed, 0);
  }

  /** Receives and deletes all dead letters. Returns their bodies. */
  async deadLetters(): Promise<readonly string[]> {
    const dead = worldQueues.flatMap(({ redrive }) => (redrive === undefined ? [] : [redrive.deadLetterQueue]));
    const received = dead.map(queue => this.#options.queues.receive(queue, { max: 10, waitSeconds: 0 }));
    return (await Promise.all(received)).flat().map(({ body }) => body);
  }

  readonly #newId = (): string => {
    this.#ids += 1;
    return `id-${this.#ids}`;
  };

  #worker(): LocalFunction<SQSEvent> {
    const { api, clock, plan, workMs = 0, resyncPeriodSeconds, timeoutSeconds = usualTimeoutSeconds } = this.#options;
    const queues = this.#unreliableQueues();
    const visiting = aReconciler({
      declaration: aDeclaration({ name: reconciler, timeoutSeconds }),
      observe: async (primary, _ask, pass) => {
        await this.#visit(primary, () => clock.sleep(workMs));
        return { primary, pass: pass.number };
      },
      report: ({ primary }) => ({ events: [], result: plan(this.#lastOf(primary.metadata.name), primary) }),
    });
    const common = { functionName: reconciler, log: this.log, clock, metrics: this.metrics, queues };
    const handler = sqsBatchHandler({
      ...common,
      serve: ({ messages }, { signal, log }) =>
        reconcileBatch(
          {
            ...common,
            reconciler: visiting,
            kubernetes: api.others,
            ports: {},
            signal,
            log,
            watchFilter: '',
            managementCluster,
            newId: this.#newId,
            fullResyncPeriodMs: resyncPeriodSeconds === undefined ? undefined : resyncPeriodSeconds * 1000,
          },
          messages,
        ),
    });
    return { name: reconciler, timeoutSeconds, handler };
  }

  #timer(): LocalFunction<SQSEvent> {
    const { clock, timeoutSeconds = usualTimeoutSeconds } = this.#options;
    const queues = this.#unreliableQueues();
    const common = { functionName: 'timer', log: this.log, clock, metrics: this.metrics, queues };
    const handler = sqsBatchHandler({
      ...common,
      serve: ({ messages }, { log }) =>
        forward({ ...common, log, newId: this.#newId, hasQueue: queue => queue === workQueue }, messages),
    });
    return { name: 'timer', timeoutSeconds, handler };
  }

  #resync(): Promise<void> {
    const { api, queues, resyncPeriodSeconds = 0 } = this.#options;
    const declarations = [aDeclaration({ name: reconciler })];
    return resync({
      declarations,
      kubernetes: api.others,
      watches: api.others.watches,
      queues,
      managementCluster,
      newId: this.#newId,
      watchFilter: '',
      layout: 'per-kind',
      stateNamespace: 'kube-system',
      // Each run enqueues every object.
      periodSeconds: resyncPeriodSeconds,
      fullPeriodSeconds: resyncPeriodSeconds,
      clock: this.#options.clock,
      metrics: this.metrics,
      log: this.log,
      signal: new AbortController().signal,
    });
  }

  async #visit(primary: Unstructured, work: () => Promise<void>): Promise<void> {
    const { name, resourceVersion } = primary.metadata;
    if (this.#busy.has(name)) {
      this.overlaps.push(name);
    }
    this.#busy.add(name);
    this.visits.push({ name, resourceVersion, startedAt: this.#options.clock.now() });
    await work();
    this.#busy.delete(name);
  }

  #lastOf(name: string): Visit {
    const visit = this.visits.findLast(candidate => candidate.name === name);
    if (visit === undefined) {
      throw new Error(`${name} was never visited`);
    }
    return visit;
  }

  /** Crashes if the plan contains a crash. */
  #mortal(queue: QueueName, { handler, ...target }: LocalFunction<SQSEvent>): LocalFunction<SQSEvent> {
    const { crash } = this.#options;
    const run: LocalFunction<SQSEvent>['handler'] = async (event, context) => {
      const point = crash?.(event);
      if (point === 'before') {
        await this.#redeliver(queue, event.Records);
        throw new Error('Crashed before the work');
      }
      const answer = await handler(event, context);
      if (point === 'after') {
        await this.#redeliver(queue, event.Records);
        throw new Error('Crashed after the work');
      }
      const { failed } = toVerdict({ ok: true, response: answer }, event.Records);
      await this.#redeliver(
        queue,
        event.Records.filter(({ messageId }) => failed.has(messageId)),
      );
      return answer;
    };
    return { ...target, handler: run };
  }

  async #redeliver(queue: QueueName, records: SQSEvent['Records']): Promise<void> {
    const { queues, redeliverySeconds } = this.#options;
    if (redeliverySeconds !== undefined && records.length > 0) {
      const handles = records.map(({ receiptHandle }) => receiptHandle);
      await queues.changeVisibility(queue, handles, redeliverySeconds);
    }
  }

  #unreliableQueues(): Queues {
    const { queues, refuse } = this.#options;
    const refused: SendOutcome = { ok: false, error: new Error('Refused as planned') };
    return {
      send: async (queue, messages) => {
        const taken = messages.filter(message => refuse?.(queue, message) !== true);
        const outcomes = await queues.send(queue, taken);
        return messages.map(message => outcomes[taken.indexOf(message)] ?? refused);
      },
      receive: (queue, options) => queues.receive(queue, options),
      delete: (queue, handles) => queues.delete(queue, handles),
      depth: queue => queues.depth(queue),
      changeVisibility: (queue, handles, seconds) => queues.changeVisibility(queue, handles, seconds),
    };
  }
}
