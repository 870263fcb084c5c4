// Runs one reconcile of one object: at most five passes until the object settles, then a result for the queue.
import { type ObjectRef, toDisplayName, type Unstructured, WorkMeter } from '@capi-serverless/apimachinery';
import {
  type Result,
  RetryableError,
  TerminalError,
  toError,
  workOfPass,
  workOfReconcile,
} from '@capi-serverless/reconciler';
import { type PassContext, runPass } from '@capi-serverless/reconciler/runner';
import { contestedPauseMs } from './backoff.ts';
import { changedUnwatched, isUnseen } from './missed-event.ts';
import type { Reconciled } from './reconciled.ts';
import { passesWatchFilter } from './watch-filter.ts';

/** The maximum number of passes per invocation. If it is reached, the object is requeued. */
const passesPerInvocation = 5;

/**
 * The number of consecutive tries for a kind that is not served: about 15 minutes. After the kind is served, its
 * objects are listed.
 */
export const triesOfUnservedKind = 10;

export interface ReconcileContext<Ports, Seen> extends PassContext<Ports, Seen> {
  /** Objects with another watch-filter label are not reconciled. "" accepts all objects. */
  readonly watchFilter: string;
  /** The number of consecutive failed tries before this one. Default: 0. */
  readonly attempt?: number;
  /** Returns a number from 0 to 1, for the pauses between passes after conflicts. Default: no pauses. */
  readonly random?: () => number;
  /** Default: `passesPerInvocation`. */
  readonly maxPasses?: number;
}

interface Progress {
  passes: number;
  writes: number;
  unseen?: true;
  unwatched?: true;
}

/** Reconciles the object until a pass does not request another one. Never throws: an error becomes a failed result. */
export async function reconcile<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen>,
  ref: ObjectRef,
): Promise<Reconciled> {
  const progress: Progress = { passes: 0, writes: 0 };
  try {
    const meter = new WorkMeter(workOfReconcile);
    const result = await settle({ ...context, meter }, ref, progress);
    return { result, ...progress };
  } catch (thrown) {
    const error = toError(thrown);
    const terminal = error instanceof TerminalError;
    const isExpected = terminal || error instanceof RetryableError || context.signal.aborted;
    return { result: { kind: 'failed', error, terminal }, ...progress, ...(isExpected ? {} : { defect: error }) };
  }
}

async function settle<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen> & { readonly meter: WorkMeter },
  ref: ObjectRef,
  progress: Progress,
): Promise<Result> {
  const maxPasses = context.maxPasses ?? passesPerInvocation;
  let primary: Unstructured | undefined;
  let contested = '';
  let lost = 0;
  // Each pass starts with its full budget, so its result does not depend on the work of earlier passes.
  while (progress.passes < maxPasses && context.meter.left >= workOfPass.units) {
    context.signal.throwIfAborted();
    primary ??= await readPrimary(context, ref);
    if (primary === undefined) {
      return { kind: 'done' };
    }
    if (!passesWatchFilter(primary, context.watchFilter)) {
      context.log.debug('Skipping an object of another watch filter');
      return { kind: 'done' };
    }
    progress.passes += 1;
    if (progress.passes === 1 && isUnseen(context.reconciler.declaration, primary)) {
      progress.unseen = true;
    }
    const end = await runPass(context, primary, progress.passes);
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
    contested = '';
    lost = 0;
    if (changedUnwatched(context.reconciler.declaration, primary, end.primary)) {
      progress.unwatched = true;
    }
    if (end.result.kind !== 'again') {
      return end.result;
    }
    if (end.primary === undefined) {
      return { kind: 'done' };
    }
    primary = end.primary === primary ? undefined : end.primary;
  }
  if (contested === '') {
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
  throw new RetryableError(text, retryAfterMs === undefined ? {} : { retryAfterMs });
}
