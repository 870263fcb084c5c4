// One pass of a reconciler: observe → decide → act → report → status and events.
import {
  type ApiFailure,
  type Clock,
  type Instant,
  type Kubernetes,
  type Reads,
  type Unstructured,
  WorkMeter,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { act } from './act.ts';
import { RetryableError } from './errors.ts';
import type { Log } from './log.ts';
import { failureOf } from './outcomes.ts';
import type { WiredPorts } from './ports.ts';
import { eventsOf, recordEvents } from './record-events.ts';
import { afterWaits, rememberingReads, rememberOutcomes, type Waits } from './retry-after.ts';
import type { Action, Declaration, EventDraft, Outcomes, Pass, Reconciler, Report, Result } from './types.ts';
import { countingReads, countRead, growingWorkOfPass, workOfPass, workOfReconcile, workOfShare } from './work.ts';
import type { WorkloadWriters } from './workload-writes.ts';
import { writeStatus } from './write-status.ts';

/** What one pass needs besides its object. It lives as long as the pass. */
export interface PassContext<Ports, Seen> {
  readonly reconciler: Reconciler<Ports, Seen>;
  readonly kubernetes: Kubernetes;
  readonly ports: WiredPorts<Ports>;
  /** Required if actions are aimed at workload clusters. */
  readonly workload?: WorkloadWriters;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The time at which `signal` aborts, if known. */
  readonly deadline?: Instant;
  /** The time at which the reads of a reconciler with `reportsLateReads` are aborted. Default: the deadline. */
  readonly readsEnd?: Instant;
  readonly log: Log;
  /** The meter of all passes of one reconcile. If absent, the pass has its own meter. */
  readonly meter?: WorkMeter;
  /** The meter of this pass, from `meterOfPass`. If absent, the pass makes it. */
  readonly passMeter?: WorkMeter;
  /** The share of the work limits that this process has. Default: 1. */
  readonly workShare?: number;
}

export type PassEnd =
  | { readonly kind: 'stopped'; readonly reason: string }
  /** Whether a write of this pass found another state than the observed one. In this case another pass must run. */
  | { readonly kind: 'stale'; readonly failure: ApiFailure; readonly writes: number }
  /** `primary` is the newest known version. It is `undefined` after the object is removed. */
  | {
      readonly kind: 'reported';
      readonly result: Result;
      readonly primary: Unstructured | undefined;
      readonly writes: number;
      /** Reads were aborted at `readsEnd`. The report contains the result of the others. */
      readonly late?: true;
    };

/**
 * Returns the meter of one pass, a part of the meter of all passes. The limit of a reconciler that runs what tenants write
 * grows with what the pass reads. These reconcilers have batches of one.
 */
export function meterOfPass<Ports, Seen>({
  reconciler,
  meter = new WorkMeter(workOfReconcile),
  workShare = 1,
}: Pick<PassContext<Ports, Seen>, 'reconciler' | 'meter' | 'workShare'>): WorkMeter {
  const isProgram = reconciler.declaration.batchSize === 1;
  return meter.part(workOfShare(isProgram ? growingWorkOfPass : workOfPass, workShare));
}

/** Runs one pass over `primary`. Throws the errors of observe, decide and report. */
export async function runPass<Ports, Seen extends object>(
  context: PassContext<Ports, Seen>,
  primary: Unstructured,
  number: number,
): Promise<PassEnd> {
  const { reconciler, kubernetes, clock, signal } = context;
  const readsEnd = reconciler.reportsLateReads === true ? context.readsEnd : undefined;
  const deadline = readsEnd ?? context.deadline;
  const meter = context.passMeter ?? meterOfPass(context);
  countRead(meter, primary);
  const begun = {
    number,
    now: clock.now(),
    ...withoutUndefined({ deadline }),
    log: context.log,
    meter,
  };
  const waits: Waits = { longestMs: 0 };
  const { seen, pass } = await withReadTime({ clock, signal, readsEnd }, async limit => {
    const reading = limit === signal ? context : { ...context, kubernetes: kubernetes.within(limit) };
    const pass: Pass = { ...begun, signal: limit };
    return { seen: await reconciler.observe(primary, askOf(reading, waits, meter), pass), pass };
  });
  signal.throwIfAborted();
  if ('stop' in seen) {
    return { kind: 'stopped', reason: String(seen.stop) };
  }
  // True: without `Stop`, the union contains only the type that observe declares as Seen.
  const known = seen as Seen;
  const actions = reconciler.decide(known, pass.now);
  const end = await performAndReport(context, { primary, known, actions, pass, waits });
  return pass.signal.aborted && end.kind === 'reported' ? { ...end, late: true } : end;
}

interface Decided<Seen> {
  readonly primary: Unstructured;
  readonly known: Seen;
  readonly actions: readonly Action[];
  readonly pass: Pass;
  readonly waits: Waits;
}

/** Performs the actions, writes the status, performs the actions after the status, and records the Events. */
async function performAndReport<Ports, Seen extends object>(
  context: PassContext<Ports, Seen>,
  { primary, known, actions, pass, waits }: Decided<Seen>,
): Promise<PassEnd> {
  const { reconciler, kubernetes, workload, clock, signal, deadline } = context;
  const { declaration } = reconciler;
  const { now } = pass;
  const acting = { kubernetes, workload, fieldManager: declaration.fieldManager, clock, signal, deadline };
  const writeEvents = async (drafts: readonly EventDraft[]): Promise<number> => {
    await recordEvents({ writes: kubernetes, declaration, log: context.log, now }, primary, drafts);
    return drafts.length;
  };
  const acted = await act(
    acting,
    actions.filter(({ afterStatus }) => afterStatus !== true),
  );
  let { outcomes, writes } = acted;
  if (acted.stale !== undefined) {
    return { kind: 'stale', failure: acted.stale, writes: writes + (await writeEvents(eventsOf(actions, outcomes))) };
  }
  const latest = newestOf(primary, outcomes.values());
  let report = reconciler.report(known, outcomes, now);
  const written = await persist(context, { observed: primary, latest, report, now });
  writes += written.writes;
  if (written.kind === 'stale') {
    return { ...written, writes: writes + (await writeEvents(eventsOf(actions, outcomes))) };
  }
  let end = written;
  const newest = written.result === report.result && !isStopped(actions, outcomes) ? written.primary : undefined;
  const last = newest === undefined ? [] : lastActions(actions, newest);
  if (newest !== undefined && last.length > 0) {
    const ended = await act(acting, last, outcomes);
    outcomes = new Map([...outcomes, ...ended.outcomes]);
    writes += ended.writes;
    if (ended.stale !== undefined) {
      return { kind: 'stale', failure: ended.stale, writes: writes + (await writeEvents(eventsOf(actions, outcomes))) };
    }
    report = reconciler.report(known, outcomes, now);
    end = { ...written, result: report.result, primary: newestOf(newest, ended.outcomes.values()) };
  }
  rememberOutcomes(outcomes, waits);
  const eventWrites = await writeEvents([...eventsOf(actions, outcomes), ...report.events]);
  return { ...end, result: afterWaits(end.result, waits), writes: writes + eventWrites };
}

function isStopped(actions: readonly Action[], outcomes: Outcomes): boolean {
  return actions.some(({ id, onError }) => onError === 'stop' && failureOf(outcomes, id) !== undefined);
}

/**
 * Returns the actions after the status, with the version to which the status was written as precondition, if this version
 * allows the write.
 */
function lastActions(actions: readonly Action[], { metadata }: Unstructured): readonly Action[] {
  const { resourceVersion } = metadata;
  return actions
    .filter(({ afterStatus }) => afterStatus === true)
    .map(action =>
      action.do === 'patch' && action.allows?.(metadata) === true ? { ...action, resourceVersion } : action,
    );
}

/** Returns the reads of the client and the reconciler's ports. These are all functions that observe may call. */
function askOf<Ports, Seen>(
  { reconciler, kubernetes, ports }: PassContext<Ports, Seen>,
  waits: Waits,
  meter: WorkMeter,
): Reads & Ports {
  const { dryRun } = kubernetes;
  const ask = { ...countingReads(rememberingReads(kubernetes, waits), meter), ...ports };
  // True: the context's ports lack only `dryRun`, which the declaration names if Ports contains it.
  return (namesDryRun(reconciler.declaration) ? { ...ask, dryRun } : ask) as Reads & Ports;
}

function namesDryRun({ ports }: Declaration): boolean {
  return ports.includes('dryRun');
}

/**
 * Returns the primary after the writes of this pass. Returns `undefined` if its last finalizer was removed during
 * deletion.
 */
function newestOf(
  primary: Unstructured,
  outcomes: Iterable<{ readonly state: string; readonly object?: Unstructured }>,
): Unstructured | undefined {
  let newest: Unstructured | undefined = primary;
  for (const { object } of outcomes) {
    if (object?.metadata.uid === primary.metadata.uid) {
      newest = isGone(object) ? undefined : object;
    }
  }
  return newest;
}

function isGone(object: Unstructured): boolean {
  return object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
}

interface Persisting {
  readonly observed: Unstructured;
  readonly latest: Unstructured | undefined;
  readonly report: Report;
  readonly now: Instant;
}

async function persist<Ports, Seen>(
  context: PassContext<Ports, Seen>,
  { observed, latest, report, now }: Persisting,
): Promise<Exclude<PassEnd, { kind: 'stopped' }>> {
  const { result, status: change } = report;
  if (latest === undefined || change === undefined) {
    return { kind: 'reported', result, primary: latest, writes: 0 };
  }
  const { kubernetes, clock, signal, reconciler } = context;
  const written = await writeStatus(
    { kubernetes, declaration: reconciler.declaration, clock, signal },
    { observed, latest, change, now },
  );
  if (written.ok) {
    const { stale, primary, writes } = written.value;
    return stale === undefined
      ? { kind: 'reported', result, primary, writes }
      : { kind: 'stale', failure: stale, writes };
  }
  const { name } = latest.metadata;
  const message = `Writing the status of ${latest.kind} ${name} failed: ${written.failure.message}`;
  const retryAfterMs = written.failure.retryAfterMs;
  const error = new RetryableError(message, {
    ...(result.kind === 'failed' ? { cause: result.error } : {}),
    ...withoutUndefined({ retryAfterMs }),
  });
  return { kind: 'reported', result: { kind: 'failed', error, terminal: false }, primary: latest, writes: 1 };
}

interface ReadTime {
  readonly clock: Clock;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
  /** If absent, reads may take until the deadline. */
  readonly readsEnd?: Instant | undefined;
}

/** Passes a signal to `read` that aborts with `signal`, or at `readsEnd`. It does not abort after `read` has settled. */
async function withReadTime<T>(
  { clock, signal, readsEnd }: ReadTime,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (readsEnd === undefined) {
    return read(signal);
  }
  const late = new AbortController();
  const settled = new AbortController();
  const waited = clock.sleep(readsEnd - clock.now(), settled.signal).then(() => {
    if (!settled.signal.aborted) {
      late.abort(new DOMException('The time for the reads of this pass is up', 'TimeoutError'));
    }
  });
  try {
    return await read(AbortSignal.any([signal, late.signal]));
  } finally {
    settled.abort('the reads have settled');
    await waited;
  }
}
