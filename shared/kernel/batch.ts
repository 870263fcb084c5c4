// Processes one batch of a work queue: one reconcile per object. Sends the follow-up, then acknowledges the messages.
import {
  type Instant,
  type Kubernetes,
  type ObjectRef,
  toApiVersion,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Log, RetryableError, toError } from '@capi-serverless/reconciler';
import { type ReconcileFact, reconciles } from '../diagnostics/channels.ts';
import type { NewId } from '../workqueue/ids.ts';
import type { Key } from '../workqueue/message.ts';
import type { QueueSender } from '../workqueue/port.ts';
import { coalesce, type IncomingMessage, type KeyWork, type RefusedMessage } from './coalesce.ts';
import { type FollowUp, toFollowUp } from './follow-up.ts';
import {
  failedFollowUps,
  type Metrics,
  missedEvents,
  reconcileErrors,
  reconcilePanics,
  reconcileSeconds,
  reconcilesOutOfTime,
  reconcileTotal,
  refusedMessages,
  terminalReconcileErrors,
  workqueueRetries,
  workqueueWorkSeconds,
} from './metrics.ts';
import { isMissedEvent } from './missed-event.ts';
import { type ReconcileContext, reconcile } from './reconcile.ts';
import type { Reconciled } from './reconciled.ts';

/** What the reconciles of one batch have in common. A function creates most of it once, and the rest per invocation. */
export interface BatchContext<Ports, Seen>
  extends Pick<
    ReconcileContext<Ports, Seen>,
    | 'reconciler'
    | 'ports'
    | 'workload'
    | 'clock'
    | 'watchFilter'
    | 'random'
    | 'maxPasses'
    | 'signal'
    | 'deadline'
    | 'log'
  > {
  readonly queues: QueueSender;
  readonly metrics: Metrics;
  readonly newId: NewId;
  /** If `undefined`, no resync runs. */
  readonly fullResyncPeriodMs: number | undefined;
}

/** The data that a function reads from its management cluster before its first reconcile. */
export interface Connected {
  readonly kubernetes: Kubernetes;
  readonly managementCluster: string;
}

/**
 * Reconciles the objects of the messages concurrently and sends their follow-ups. Returns the ids of the messages that
 * must not be acknowledged. These are refused messages, and messages whose follow-up the queue did not accept. A refused
 * message with an invalid name is acknowledged, because no such object can exist.
 */
export async function reconcileBatch<Ports, Seen extends object>(
  context: BatchContext<Ports, Seen> & Connected,
  messages: readonly IncomingMessage[],
): Promise<readonly string[]> {
  return serveBatch(context, messages, (work, log) =>
    reconcile({ ...context, log, attempt: work.attempt }, toPrimaryRef(context, work.key)),
  );
}

/**
 * Like `reconcileBatch`, with a connection that may fail. In this case each reconcile fails with the error of
 * `connect`. Its messages are acknowledged and retried with backoff, so that an outage of the API server produces no
 * dead letters.
 */
export async function connectAndReconcile<Ports, Seen extends object>(
  context: BatchContext<Ports, Seen>,
  connect: () => Promise<Connected>,
  messages: readonly IncomingMessage[],
): Promise<readonly string[]> {
  let connected: Connected;
  try {
    connected = await connect();
  } catch (thrown) {
    const message = `Connecting to the management cluster failed: ${toError(thrown).message}`;
    const retryAfterMs = thrown instanceof RetryableError ? thrown.retryAfterMs : undefined;
    const error = new RetryableError(message, {
      cause: thrown,
      ...withoutUndefined({ retryAfterMs }),
    });
    const failed: Reconciled = { result: { kind: 'failed', error, terminal: false }, passes: 0, writes: 0 };
    return serveBatch(context, messages, async () => failed);
  }
  return reconcileBatch({ ...context, ...connected }, messages);
}

/**
 * If the management cluster is not known, messages for every cluster are accepted. The next try can determine which
 * ones to refuse.
 */
async function serveBatch<Ports, Seen>(
  context: BatchContext<Ports, Seen> & Partial<Connected>,
  messages: readonly IncomingMessage[],
  reconcileOne: (work: KeyWork, log: Log) => Promise<Reconciled>,
): Promise<readonly string[]> {
  const { declaration } = context.reconciler;
  const { work, refused } = coalesce(messages, { declaration, managementCluster: context.managementCluster });
  for (const message of refused) {
    refuse(context, message);
  }
  const failed = await Promise.all(work.map(one => serve(context, one, reconcileOne)));
  const kept = refused.filter(({ reason }) => reason !== 'invalid_name');
  return [...kept.map(({ messageId }) => messageId), ...failed.flat()];
}

function refuse<Ports, Seen>(context: BatchContext<Ports, Seen>, { messageId, reason, problem }: RefusedMessage): void {
  context.metrics.count(refusedMessages, { controller: context.reconciler.declaration.name, reason });
  context.log.error('Refusing a message', new Error(problem), { messageId, reason });
}

async function serve<Ports, Seen>(
  context: BatchContext<Ports, Seen>,
  work: KeyWork,
  reconcileOne: (work: KeyWork, log: Log) => Promise<Reconciled>,
): Promise<readonly string[]> {
  const log = context.log.with(logFieldsOf(context, work));
  const startedAt = context.clock.now();
  const reconciled = await reconcileOne(work, log);
  const followUp = toFollowUp(reconciled.result, work, {
    reconciler: context.reconciler.declaration.name,
    now: context.clock.now(),
    fullResyncPeriodMs: context.fullResyncPeriodMs,
    newId: context.newId,
  });
  record({ ...context, log }, work, { reconciled, followUp, startedAt });
  if (followUp === undefined) {
    return [];
  }
  const [sent] = await context.queues.send(followUp.queue, [followUp.message]);
  if (sent?.ok === true) {
    return [];
  }
  context.metrics.count(failedFollowUps, { controller: context.reconciler.declaration.name });
  log.error('Sending the follow-up failed', sent?.error, { queue: followUp.queue });
  return work.messageIds;
}

function toPrimaryRef<Ports, Seen>(context: BatchContext<Ports, Seen>, key: Key): ObjectRef {
  const { primary } = context.reconciler.declaration;
  const namespace = key.namespace === '' ? {} : { namespace: key.namespace };
  return { apiVersion: toApiVersion(primary), kind: primary.kind, name: key.name, ...namespace };
}

function logFieldsOf<Ports, Seen>(context: BatchContext<Ports, Seen>, { key, causes, traces }: KeyWork) {
  const object = { namespace: key.namespace, name: key.name };
  return {
    controller: context.reconciler.declaration.name,
    controllerGroup: key.group,
    controllerKind: key.kind,
    [key.kind]: object,
    ...object,
    reconcileID: context.newId(),
    trace: traces[0],
    // The traces of all requests that were merged into this reconcile.
    ...(traces.length > 1 ? { traces } : {}),
    causes,
  };
}

interface Ended {
  readonly reconciled: Reconciled;
  readonly followUp: FollowUp | undefined;
  readonly startedAt: Instant;
}

function record<Ports, Seen>(context: BatchContext<Ports, Seen>, work: KeyWork, ended: Ended): void {
  const { reconciled, followUp, startedAt } = ended;
  const { result, passes, writes, defect } = reconciled;
  const seconds = (context.clock.now() - startedAt) / 1000;
  const outcome = toOutcomeLabel(reconciled);
  count(context, work, { reconciled, seconds });
  const next = followUp?.due === undefined ? {} : { due: new Date(followUp.due).toISOString() };
  const details = { result: outcome, passes, writes, seconds, ...next };
  if (reconciled.outOfTime === true && result.kind === 'failed') {
    context.log.info('The time of the invocation is up, the next one continues', {
      attempt: work.attempt,
      ...details,
      problem: result.error.message,
    });
  } else if (result.kind === 'failed') {
    const stack = defect === undefined ? {} : { stack: defect.stack };
    context.log.error('Reconciler error', result.error, { attempt: work.attempt, ...details, ...stack });
  } else {
    context.log.info('Reconciled', details);
  }
  if (isMissedEvent(work, reconciled)) {
    context.log.info('The resync found a change that no event source reported', { writes });
  }
  const fact: ReconcileFact = {
    reconciler: context.reconciler.declaration.name,
    namespace: work.key.namespace,
    name: work.key.name,
    result: outcome,
    passes,
    writes,
    seconds,
    startedAt,
    sentAt: work.sentAtMs ?? startedAt,
    causes: work.causes,
    traces: work.traces,
  };
  reconciles.publish(fact);
}

function count<Ports, Seen>(
  { metrics, reconciler }: BatchContext<Ports, Seen>,
  work: KeyWork,
  { reconciled, seconds }: { readonly reconciled: Reconciled; readonly seconds: number },
): void {
  const { result, defect } = reconciled;
  const controller = reconciler.declaration.name;
  metrics.count(reconcileTotal, { controller, result: toOutcomeLabel(reconciled) });
  metrics.observe(reconcileSeconds, { controller }, seconds);
  metrics.observe(workqueueWorkSeconds, { name: controller }, seconds);
  if (reconciled.outOfTime === true) {
    metrics.count(reconcilesOutOfTime, { controller });
    metrics.count(workqueueRetries, { name: controller });
  } else if (result.kind === 'failed') {
    metrics.count(reconcileErrors, { controller });
    if (result.terminal) {
      metrics.count(terminalReconcileErrors, { controller });
    } else {
      metrics.count(workqueueRetries, { name: controller });
    }
  }
  if (defect !== undefined) {
    metrics.count(reconcilePanics, { controller });
  }
  if (isMissedEvent(work, reconciled)) {
    metrics.count(missedEvents, { controller });
  }
}

/**
 * The `result` label as controller-runtime spells it. In controller-runtime, a terminal error is an error too. A
 * reconcile out of time continues after its timer, so it is not an error.
 */
function toOutcomeLabel({ result, outOfTime }: Reconciled): ReconcileFact['result'] {
  if (outOfTime === true) {
    return 'requeue_after';
  }
  switch (result.kind) {
    case 'done':
      return 'success';
    case 'again':
      return 'requeue';
    case 'requeueAfter':
      return 'requeue_after';
    case 'failed':
      return result.terminal ? 'terminal_error' : 'error';
  }
}
