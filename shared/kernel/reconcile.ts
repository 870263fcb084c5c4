// One reconcile of one object: passes until it settles, at most five, then a result for the queue.
import type { ObjectRef, Unstructured } from '../api/object.ts';
import { toDisplayName } from '../api/object.ts';
import { RetryableError, TerminalError, toError } from './errors.ts';
import { changedUnheralded, isUnseen } from './missed-event.ts';
import { type PassContext, runPass } from './pass.ts';
import type { Result } from './types.ts';
import { passesWatchFilter } from './watch-filter.ts';

/** How many passes one invocation makes before it sends itself a message instead. */
export const passesPerInvocation = 5;

/** How many tries in a row a kind that is not served gets: a quarter of an hour. Once it is served, its objects are listed. */
export const triesOfUnservedKind = 10;

export interface ReconcileContext<Ports, Seen> extends PassContext<Ports, Seen> {
  /** Objects whose watch-filter label differs are left alone; "" accepts all. */
  readonly watchFilter: string;
  /** Failed tries in a row before this one. Default 0. */
  readonly attempt?: number;
  /** Default: `passesPerInvocation`. */
  readonly maxPasses?: number;
}

export interface Reconciled {
  readonly result: Result;
  /** Set when a step threw something that is none of the kernel's error classes: a defect, not a state of the world. */
  readonly defect?: Error;
  readonly passes: number;
  readonly writes: number;
  /** At the beginning the object had a generation that its status did not tell of. */
  readonly unseen?: true;
  /** A condition changed that no event could have told of. */
  readonly unheralded?: true;
}

interface Progress {
  passes: number;
  writes: number;
  unseen?: true;
  unheralded?: true;
}

/** Reconciles the object until a pass does not ask for another one. Never throws: what is thrown becomes a failed result. */
export async function reconcile<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen>,
  ref: ObjectRef,
): Promise<Reconciled> {
  const progress: Progress = { passes: 0, writes: 0 };
  try {
    const result = await settle(context, ref, progress);
    return { result, ...progress };
  } catch (thrown) {
    const error = toError(thrown);
    const terminal = error instanceof TerminalError;
    const isExpected = terminal || error instanceof RetryableError || context.signal.aborted;
    return { result: { kind: 'failed', error, terminal }, ...progress, ...(isExpected ? {} : { defect: error }) };
  }
}

async function settle<Ports, Seen extends object>(
  context: ReconcileContext<Ports, Seen>,
  ref: ObjectRef,
  progress: Progress,
): Promise<Result> {
  const maxPasses = context.maxPasses ?? passesPerInvocation;
  let primary: Unstructured | undefined;
  let contested = '';
  while (progress.passes < maxPasses) {
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
      primary = undefined;
      continue;
    }
    contested = '';
    if (changedUnheralded(context.reconciler.declaration, primary, end.primary)) {
      progress.unheralded = true;
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
  const { message, retryAfterMs, notServed = false } = answer.failure;
  const text = `Reading ${ref.kind} ${toDisplayName(ref)} failed: ${message}`;
  const { attempt = 0 } = context;
  if (notServed && attempt >= triesOfUnservedKind) {
    throw new TerminalError(`${text}; the kind was not served in ${attempt} tries, its definition may be gone`);
  }
  throw new RetryableError(text, retryAfterMs === undefined ? {} : { retryAfterMs });
}
