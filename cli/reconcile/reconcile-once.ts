// Sends one message for one object, invokes its function once, and reports the effects.
import { randomUUID } from 'node:crypto';
import {
  type ObjectRef,
  type Reads,
  toDisplayName,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { Declaration } from '@capi-serverless/reconciler';
import { declarations as coreDeclarations } from '../../functions/declarations.ts';
import { type ApiServerConnection, connect } from '../../local/connect.ts';
import { listen } from '../../local/counters.ts';
import { toEnvironment } from '../../local/environment.ts';
import { toRecord, toVerdict } from '../../local/event-source-mapping.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { bundleWithExternal, toExternalFunctions } from '../../local/external-provider/external-functions.ts';
import {
  type ExternalProviders,
  externalDeclarations,
  loadExternalProviders,
} from '../../local/external-provider/load.ts';
import { type LoadedFunction, loadFunction } from '../../local/load-function.ts';
import { toLocalFunctions } from '../../local/local-functions.ts';
import { invoke } from '../../local/local-lambda.ts';
import { localDeclarations } from '../../local/provider/declarations.ts';
import { readWaiting } from '../../local/queue-contents.ts';
import { type LocalSqs, startSqs } from '../../local/sqs.ts';
import { UsageError } from '../../local/usage-error.ts';
import {
  type LogFact,
  logs,
  type ReconcileFact,
  type RequestFact,
  reconciles,
  requests,
} from '../../shared/diagnostics/channels.ts';
import { messageVersion, parseRequest, type Request } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import { expandQueue } from '../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { toPrimaryRef } from '../arguments.ts';
import { findSubject, type ReconcileOptions, type ReconcileSubject } from './options.ts';
import {
  createdEvents,
  type EventLine,
  type FollowUpLine,
  hasSucceeded,
  type ReconcileReport,
  toErrorLine,
  toFollowUpLine,
  toNote,
  toReportText,
  toRequestLine,
} from './report.ts';

/** All reconcilers that can run on this machine, without those of a provider's folder. */
export const knownDeclarations: readonly Declaration[] = [...coreDeclarations, ...localDeclarations];

const resyncPeriodSeconds = 600;

/** Prints the effects of the invocation. Resolves with the exit code. Throws UsageError if it cannot start. */
export async function reconcileOnce(
  options: ReconcileOptions,
  print: (text: string) => void = text => process.stdout.write(text),
): Promise<number> {
  const external = await loadExternalProviders(options.providers, knownDeclarations);
  try {
    const declarations = [...knownDeclarations, ...externalDeclarations(external)];
    const report = await reportOf(findSubject(options, declarations), { options, external, declarations });
    print(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toReportText(report));
    return hasSucceeded(report) ? exitCodes.done : exitCodes.notReady;
  } finally {
    await external.close();
  }
}

interface Known {
  readonly options: ReconcileOptions;
  readonly external: ExternalProviders;
  /** The declarations of this project and of external providers. */
  readonly declarations: readonly Declaration[];
}

async function reportOf(subject: ReconcileSubject, known: Known): Promise<ReconcileReport> {
  const connection = await connect(known.options.kubeconfig);
  try {
    await requireObject(connection, toPrimaryRef(subject.declaration, subject.name));
    return await onQueues(known.declarations, sqs => runOnce({ ...known, subject, connection, sqs }));
  } finally {
    await connection.close();
  }
}

async function requireObject({ kubernetes, server }: ApiServerConnection, ref: ObjectRef): Promise<void> {
  const answer = await kubernetes.metadata(ref);
  if (!answer.ok) {
    const problem = answer.missing ? 'does not exist' : 'cannot be read';
    throw new UsageError(`${ref.kind} ${toDisplayName(ref)} ${problem} on ${server}: ${answer.failure.message}`);
  }
}

async function onQueues<T>(declarations: readonly Declaration[], work: (sqs: LocalSqs) => Promise<T>): Promise<T> {
  const sqs = await startSqs({ queues: toQueueSpecs(toConsumers(declarations)) });
  try {
    return await work(sqs);
  } finally {
    await sqs.stop();
  }
}

interface ReconcileContext extends Known {
  readonly subject: ReconcileSubject;
  readonly connection: ApiServerConnection;
  readonly sqs: LocalSqs;
}

async function runOnce(context: ReconcileContext): Promise<ReconcileReport> {
  const { subject, connection, declarations, sqs } = context;
  const { declaration, name } = subject;
  const { kubeconfigPath, managementCluster } = connection;
  // At this log level, a reconcile also logs the reason why it did nothing.
  const settings = {
    kubeconfigPath,
    managementCluster,
    watchFilter: '',
    resyncPeriodSeconds,
    featureGates: process.env['CAPI_FEATURE_GATES'],
    logLevel: 'debug',
  } as const;
  Object.assign(process.env, toEnvironment(settings, sqs));
  const observed = await observe(declaration.name, async () =>
    serveOne(await load(declaration, context.external), toRequest(context), sqs),
  );
  const { fact } = observed;
  return {
    reconciler: declaration.name,
    object: { kind: declaration.primary.kind, ...name },
    server: connection.server,
    result: fact?.result ?? 'none',
    acknowledged: observed.served.failed.size === 0,
    passes: fact?.passes ?? 0,
    writes: fact?.writes ?? 0,
    seconds: fact?.seconds ?? 0,
    requests: observed.requests.map(toRequestLine),
    events: await readEvents(connection.kubernetes, observed.requests),
    notes: observed.lines.flatMap(line => toNote(line) ?? []),
    errors: [
      ...observed.lines.flatMap(line => toErrorLine(line) ?? []),
      ...(observed.served.error === undefined
        ? []
        : [{ message: 'Invoking the function failed', error: observed.served.error.message }]),
    ],
    followUps: await readFollowUps(declarations, sqs),
  };
}

async function load({ name }: Declaration, external: ExternalProviders): Promise<LoadedFunction> {
  const known = [...toLocalFunctions(localDeclarations), ...(await toExternalFunctions(external))];
  const plans = known.filter(plan => plan.name === name);
  const [bundle] = await bundleWithExternal(plans, external);
  if (bundle === undefined) {
    throw new Error(`Reconciler "${name}" has no function`);
  }
  return loadFunction(bundle, plans);
}

function toRequest({ subject: { declaration, name: object }, connection }: ReconcileContext): Request {
  const { group, kind } = declaration.primary;
  const { namespace, name } = object;
  return {
    v: messageVersion,
    reconciler: declaration.name,
    key: { managementCluster: connection.managementCluster, group, kind, namespace, name },
    cause: 'manual',
    attempt: 0,
    trace: randomUUID(),
  };
}

/** The message is sent like every other message: through its queue, in an event. */
async function serveOne({ queue, target }: LoadedFunction, request: Request, { queueUrls }: LocalSqs) {
  const queues = createSqsQueues({ queueUrls });
  const [sent] = await queues.send(queue, [toWorkMessage(request, randomUUID)]);
  if (sent?.ok !== true) {
    throw new Error(`Queue "${queue}" did not take the message`, { cause: sent?.error });
  }
  const messages = await queues.receive(queue, { max: 1, waitSeconds: 1 });
  const event = { Records: messages.map(message => toRecord(queue, message)) };
  return toVerdict(await invoke(target, event, systemClock), messages);
}

/** Runs the work and collects the facts that the function publishes in the meantime. */
async function observe<T>(client: string, work: () => Promise<T>) {
  const seen: { requests: RequestFact[]; lines: LogFact['line'][]; fact?: ReconcileFact } = { requests: [], lines: [] };
  const stops = [
    listen<RequestFact>(requests, fact => {
      if (fact.client === client) {
        seen.requests.push(fact);
      }
    }),
    listen<LogFact>(logs, ({ line }) => seen.lines.push(line)),
    listen<ReconcileFact>(reconciles, fact => {
      seen.fact = fact;
    }),
  ];
  try {
    const served = await work();
    return { ...seen, served, requests: seen.requests.toSorted((a, b) => a.startedAt - b.startedAt) };
  } finally {
    for (const stop of stops) {
      stop();
    }
  }
}

/** Returns the contents of the created Events. If this user may not read them, returns only their names. */
function readEvents(reads: Reads, facts: readonly RequestFact[]): Promise<readonly EventLine[]> {
  return Promise.all(
    createdEvents(facts).map(async ({ namespace, name = '' }): Promise<EventLine> => {
      const ref = { apiVersion: 'v1', kind: 'Event', name, ...withoutUndefined({ namespace }) };
      const answer = await reads.get(ref);
      return answer.ok ? toEventLine(answer.value) : { name };
    }),
  );
}

function toEventLine({ metadata, ...event }: Unstructured): EventLine {
  const { type, reason, message } = event;
  return { name: metadata.name, type: String(type), reason: String(reason), message: String(message) };
}

async function readFollowUps(declarations: readonly Declaration[], sqs: LocalSqs): Promise<readonly FollowUpLine[]> {
  const now = systemClock.now();
  const queues = toConsumers(declarations).flatMap(({ queue }) => (queue === expandQueue ? [] : [queue]));
  const lines = await Promise.all(
    queues.map(async queue =>
      (await readWaiting(sqs, queue)).map(body => toFollowUpLine(queue, parseRequest(body), now)),
    ),
  );
  return lines.flat();
}
