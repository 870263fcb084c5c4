// Processes one batch of a work queue: one reconcile per object. Sends the follow-up, then acknowledges the messages.
import {
  type Instant,
  type Kubernetes,
  type ObjectRef,
  toApiVersion,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Log, RetryableError, toError } from '@capi-serverless/reconciler';
import { recordEvents } from '@capi-serverless/reconciler/runner';
import { type ReconcileFact, type ReconcilingFact, reconciles, reconciling } from '../diagnostics/channels.ts';
import type { NewId } from '../workqueue/ids.ts';
import type { Key, TrialLimits } from '../workqueue/message.ts';
import type { QueueReceiver, QueueSender } from '../workqueue/port.ts';
import { workQueueOf } from '../workqueue/queue-names.ts';
import { coalesce, type IncomingMessage, type KeyWork, type RefusedMessage } from './coalesce.ts';
import { deathsOf } from './deaths.ts';
import { type FollowUp, type FollowUpContext, toFollowUp, toParked, toResent } from './follow-up.ts';
import {
  exhaustedReconciles,
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
import { divide, trialOf } from './suspects.ts';

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
    | 'workShare'
    | 'signal'
    | 'deadline'
    | 'log'
  > {
  readonly queues: QueueSender & Pick<QueueReceiver, 'delete'>;
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
 *
 * An object that may have ended an earlier process is reconciled alone, after the other messages were acknowledged. An
 * object that ended two processes is not reconciled: an Event says so, and a timer tries again.
 */
export async function reconcileBatch<Ports, Seen extends object>(
  context: BatchContext<Ports, Seen> & Connected,
  messages: readonly IncomingMessage[],
): Promise<readonly string[]> {
  const startedAt = context.clock.now();
  const { work, kept } = read(context, messages);
  const { usual, alone, resent, exhausted } = divide(work);
  const failed = await Promise.all([
    ...usual.map(one => serve(context, one, reconcileWith(context, 1))),
    ...resent.map(({ work: one, trial }) => resend(context, one, trial)),
    ...exhausted.map(one => park(context, one)),
  ]);
  const back = [...kept, ...failed.flat()];
  if (alone === undefined) {
    return back;
  }
  const { work: suspect, trial } = alone;
  const held = new Set([...back, ...suspect.messageIds]);
  const done = messages.filter(({ messageId }) => !held.has(messageId));
  const isReady = hasTimeForTrial(context, startedAt) && (await acknowledge(context, done));
  const own = isReady
    ? await serve(context, suspect, reconcileWith(context, trial === 'half' ? trialShare : 1), afterFailure(trial))
    : await resend(context, suspect, trial);
  return [...back, ...own];
}

/** The share of the limits that the first trial of a suspect has. */
const trialShare = 0.5;

/** A trial that fails may have needed all of its limits. */
function afterFailure(trial: TrialLimits): TrialLimits | undefined {
  return trial === 'half' ? 'full' : undefined;
}

/** The others of the batch may have taken most of the time. */
function hasTimeForTrial<Ports, Seen>(
  { clock, deadline = Number.POSITIVE_INFINITY }: BatchContext<Ports, Seen>,
  startedAt: Instant,
): boolean {
  const now = clock.now();
  return deadline - now >= now - startedAt;
}

type ReconcileOne = (work: KeyWork, log: Log) => Promise<Reconciled>;

function reconcileWith<Ports, Seen extends object>(
  context: BatchContext<Ports, Seen> & Connected,
  share: number,
): ReconcileOne {
  return (work, log) => {
    const { namespace, name } = work.key;
    const fact: ReconcilingFact = { reconciler: context.reconciler.declaration.name, namespace, name };
    const ref = toPrimaryRef(context, work.key);
    return reconciling.runStores(fact, () => reconcile({ ...context, log, attempt: work.attempt, share }, ref));
  };
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
    const { work, kept } = read(context, messages);
    const unsent = await Promise.all(work.map(one => serve(context, one, async () => failed, trialOf(one))));
    return [...kept, ...unsent.flat()];
  }
  return reconcileBatch({ ...context, ...connected }, messages);
}

/**
 * Refuses the messages that cannot be served here, and returns the work of the others. If the management cluster is not
 * known, messages for every cluster are accepted. The next try can determine which ones to refuse.
 */
function read<Ports, Seen>(
  context: BatchContext<Ports, Seen> & Partial<Connected>,
  messages: readonly IncomingMessage[],
): { readonly work: readonly KeyWork[]; readonly kept: readonly string[] } {
  const { managementCluster, reconciler, clock, deadline } = context;
  const now = clock.now();
  const timeoutMs = deadline === undefined ? reconciler.declaration.timeoutSeconds * 1000 : deadline - now;
  const { work, refused } = coalesce(messages, {
    declaration: reconciler.declaration,
    managementCluster,
    deathsOf: message => deathsOf(message, { now, timeoutMs }),
  });
  for (const message of refused) {
    refuse(context, message);
  }
  return { work, kept: refused.flatMap(({ reason, messageId }) => (reason === 'invalid_name' ? [] : [messageId])) };
}

function refuse<Ports, Seen>(context: BatchContext<Ports, Seen>, { messageId, reason, problem }: RefusedMessage): void {
  context.metrics.count(refusedMessages, { controller: context.reconciler.declaration.name, reason });
  context.log.error('Refusing a message', new Error(problem), { messageId, reason });
}

/** `nextTrial` is how the next try is reconciled if this one fails. */
async function serve<Ports, Seen>(
  context: BatchContext<Ports, Seen>,
  work: KeyWork,
  reconcileOne: ReconcileOne,
  nextTrial?: TrialLimits,
): Promise<readonly string[]> {
  const log = context.log.with(logFieldsOf(context, work));
  const startedAt = context.clock.now();
  const reconciled = await reconcileOne(work, log);
  const followUp = toFollowUp(reconciled.result, work, { ...followUpContextOf(context), nextTrial });
  record({ ...context, log }, work, { reconciled, followUp, startedAt });
  return followUp === undefined ? [] : sendInstead({ ...context, log }, work, followUp);
}

/** Sends the work again, as a message that no process has had. */
async function resend<Ports, Seen>(
  context: BatchContext<Ports, Seen>,
  work: KeyWork,
  trial: TrialLimits | undefined,
): Promise<readonly string[]> {
  const log = context.log.with(logFieldsOf(context, work));
  log.info('Sending a message again', { trial, deliveries: work.receiveCount });
  return sendInstead({ ...context, log }, work, toResent(work, trial, followUpContextOf(context)));
}

/** Does not reconcile the object, because that ended two processes. An Event says so, and a timer tries again. */
async function park<Ports, Seen>(
  context: BatchContext<Ports, Seen> & Connected,
  work: KeyWork,
): Promise<readonly string[]> {
  const { declaration } = context.reconciler;
  const log = context.log.with(logFieldsOf(context, work));
  const followUp = toParked(work, followUpContextOf(context));
  const due = new Date(followUp.due).toISOString();
  const message = `Reconciling this object ended two processes of function "${declaration.name}": it takes more memory or time than the function has. The next try is at ${due}`;
  context.metrics.count(exhaustedReconciles, { controller: declaration.name });
  log.error('Reconciler exhausted', new Error(message), { due });
  const ref = toPrimaryRef(context, work.key);
  const answer = await context.kubernetes.metadata(ref);
  if (!answer.ok && answer.missing) {
    return [];
  }
  if (answer.ok) {
    const { apiVersion, kind } = ref;
    const object = { apiVersion, kind, metadata: answer.value };
    const event = { type: 'Warning', reason: 'ReconcileExhausted', message } as const;
    await recordEvents({ writes: context.kubernetes, declaration, log, now: context.clock.now() }, object, [event]);
  }
  return sendInstead({ ...context, log }, work, followUp);
}

function followUpContextOf<Ports, Seen>(context: BatchContext<Ports, Seen>): FollowUpContext {
  const { reconciler, clock, fullResyncPeriodMs, newId } = context;
  return { reconciler: reconciler.declaration.name, now: clock.now(), fullResyncPeriodMs, newId };
}

/** Returns the ids of the messages if the queue does not accept the one that replaces them. */
async function sendInstead<Ports, Seen>(
  { queues, metrics, log, reconciler }: BatchContext<Ports, Seen>,
  work: KeyWork,
  { queue, message }: FollowUp,
): Promise<readonly string[]> {
  const [sent] = await queues.send(queue, [message]);
  if (sent?.ok === true) {
    return [];
  }
  metrics.count(failedFollowUps, { controller: reconciler.declaration.name });
  log.error('Sending the follow-up failed', sent?.error, { queue });
  return work.messageIds;
}

/** Deletes the messages before the invocation ends, so that its end repeats none of them. Returns false if it failed. */
async function acknowledge<Ports, Seen>(
  { queues, reconciler, log }: BatchContext<Ports, Seen>,
  messages: readonly IncomingMessage[],
): Promise<boolean> {
  const handles = messages.flatMap(({ receiptHandle }) => receiptHandle ?? []);
  if (messages.length === 0) {
    return true;
  }
  try {
    await queues.delete(workQueueOf(reconciler.declaration.name), handles);
    return handles.length === messages.length;
  } catch (thrown) {
    log.error('Acknowledging messages failed', thrown);
    return false;
  }
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
    ...(followUp?.due === undefined ? {} : { dueAt: followUp.due }),
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
