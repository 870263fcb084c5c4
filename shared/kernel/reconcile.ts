// Runs one reconcile of one object: at most five passes until the object settles, then a result for the queue.
import {
  type ObjectRef,
  toDisplayName,
  type Unstructured,
  WorkMeter,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import {
  allowsPass,
  type Result,
  RetryableError,
  TerminalError,
  toError,
  workOfReconcile,
  workOfShare,
} from '@capi-serverless/reconciler';
import { meterOfPass, type PassContext, runPass } from '@capi-serverless/reconciler/runner';
import { contestedPauseMs } from './backoff.ts';
import { changedUnwatched, isUnseen } from './missed-event.ts';
import type { Reconciled } from './reconciled.ts';
import { repeatingRequests } from './repeated-requests.ts';
import { hasTimeForPass, readsEndOf } from './time-shares.ts';
import { passesWatchFilter } from './watch-filter.ts';

/** The maximum number of passes per invocation. If it is reached, the object is requeued. */
const passesPerInvocation = 5;

/**
 * The number of consecutive tries for a kind that is not served: about 15 minutes. After the kind is served, its
 * objects are listed.
 */
export const triesOfUnservedKind = 10;

/** What the passes of one reconcile need. It lives as long as the reconcile of one object. */
export interface ReconcileContext<Ports, Seen> extends PassContext<Ports, Seen> {
  /** Objects with another watch-filter label are not reconciled. "" accepts all objects. */
  readonly watchFilter: string;
  /** The number of consecutive failed tries before this one. Default: 0. */
  readonly attempt?: number;
  /** Returns a number from 0 to 1, for the pauses between passes after conflicts. Default: no pauses. */
  readonly random?: () => number;
  /** Default: `passesPerInvocation`. */
  readonly maxPasses?: number;
  /** The share of work and time that this reconcile may use. Default: 1. */
  readonly share?: number;
}

interface Metered {
  readonly meter: WorkMeter;
  readonly workShare: number;
}

interface Progress {
  passes: number;
  writes: number;
  /** The duration of the longest pass. */
  longestMs: number;
  outOfTime?: true | undefined;
  unseen?: true | undefined;
  unwatched?: true | undefined;
}

/** Reconciles the object until a pass does not request another one. Never throws: an error becomes a failed result. */
export async function reconcile<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen>,
  ref: ObjectRef,
): Promise<Reconciled> {
  const progress: Progress = { passes: 0, writes: 0, longestMs: 0 };
  const { result, defect } = await settleOrFail(withShares(context), ref, progress);
  const { longestMs: _, outOfTime, ...counted } = progress;
  const isOut = result.kind === 'failed' && !result.terminal && (outOfTime === true || context.signal.aborted);
  return { result, ...counted, ...(isOut ? { outOfTime: true } : {}), ...withoutUndefined({ defect }) };
}

/** Adds the meter, the time for reads, and the repetition of requests. Without `random`, no request is repeated. */
function withShares<Ports, Seen>(context: ReconcileContext<Ports, Seen>): ReconcileContext<Ports, Seen> & Metered {
  const { clock, random, signal, share = 1 } = context;
  const workShare = share * (context.workShare ?? 1);
  const now = clock.now();
  const deadline = context.deadline === undefined ? undefined : now + share * (context.deadline - now);
  const readsEnd = readsEndOf({ now, deadline, attempt: context.attempt ?? 0 });
  return {
    ...context,
    ...withoutUndefined({ deadline }),
    workShare,
    meter: new WorkMeter(workOfShare(workOfReconcile, workShare)),
    ...withoutUndefined({ readsEnd }),
    kubernetes:
      random === undefined
        ? context.kubernetes
        : repeatingRequests(context.kubernetes, { clock, signal, deadline, random }),
  };
}

async function settleOrFail<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen> & Metered,
  ref: ObjectRef,
  progress: Progress,
): Promise<Pick<Reconciled, 'result' | 'defect'>> {
  try {
    return { result: await settle(context, ref, progress) };
  } catch (thrown) {
    const error = toError(thrown);
    const terminal = error instanceof TerminalError;
    const isExpected = terminal || error instanceof RetryableError || context.signal.aborted;
    return { result: { kind: 'failed', error, terminal }, ...(isExpected ? {} : { defect: error }) };
  }
}

async function settle<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen> & Metered,
  ref: ObjectRef,
  progress: Progress,
): Promise<Result> {
  const maxPasses = context.maxPasses ?? passesPerInvocation;
  let primary: Unstructured | undefined;
  let contested = '';
  let lost = 0;
  // Each pass starts with its full budget, so its result does not depend on the work of earlier passes.
  let last: WorkMeter | undefined;
  const hasWorkForPass = (): boolean => last === undefined || allowsPass(context.meter, last);
  while (progress.passes < maxPasses && hasWorkForPass() && hasTimeForPass(context, progress)) {
    context.signal.throwIfAborted();
    const startedAt = context.clock.now();
    primary ??= await readPrimary(context, ref);
    if (primary === undefined) {
      return { kind: 'done' };
    }
    if (!passesWatchFilter(primary, context.watchFilter)) {
      context.log.debug('Skipping an object of another watch filter');
      return { kind: 'done' };
    }
    progress.passes += 1;
    progress.unseen ||= (progress.passes === 1 && isUnseen(context.reconciler.declaration, primary)) || undefined;
    last = meterOfPass(context);
    const end = await runPass({ ...context, passMeter: last }, primary, progress.passes);
    progress.longestMs = Math.max(progress.longestMs, context.clock.now() - startedAt);
    if (end.kind === 'stopped') {
      context.log.debug('Nothing to reconcile', { reason: end.reason });
      return { kind: 'done' };
    }
    progress.writes += end.writes;
    if (end.kind === 'stale') {
      contested = end.failure.message;
      lost += 1;
      primary = undefined;
      if (progress.passes < maxPasses && context.random !== undefined) {
        await context.clock.sleep(contestedPauseMs(lost, context.random()), context.signal);
      }
      continue;
    }
    lost = 0;
    progress.unwatched ||= changedUnwatched(context.reconciler.declaration, primary, end.primary) || undefined;
    progress.outOfTime ||= end.late;
    if (end.result.kind !== 'again') {
      return end.result;
    }
    if (end.primary === undefined) {
      return { kind: 'done' };
    }
    primary = end.primary === primary ? undefined : end.primary;
  }
  // After progress, or without time for another pass, the next invocation continues, also after a conflict.
  if (lost < maxPasses) {
    return { kind: 'again' };
  }
  throw new RetryableError(`Another writer changed objects in each of ${maxPasses} passes: ${contested}`);
}

async function readPrimary<Ports, Seen>(
  context: ReconcileContext<Ports, Seen>,
  ref: ObjectRef,
): Promise<Unstructured | undefined> {
  const answer = await context.kubernetes.get(ref);
  if (answer.ok) {
    return answer.value;
  }
  if (answer.missing) {
    context.log.debug('Object is gone');
    return undefined;
  }
  const { reason, message, retryAfterMs, notServed = false } = answer.failure;
  const text = `Reading ${ref.kind} ${toDisplayName(ref)} failed: ${message}`;
  const { attempt = 0 } = context;
  if (notServed && attempt >= triesOfUnservedKind) {
    throw new TerminalError(`${text}; the kind was not served in ${attempt} tries, its definition may be gone`);
  }
  if (reason === 'BadRequest') {
    // The same request would receive the same answer.
    throw new TerminalError(text);
  }
  throw new RetryableError(text, withoutUndefined({ retryAfterMs }));
}
