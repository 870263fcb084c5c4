// Finds the changes since the previous run by comparing lists, and enqueues what they affect. It also enqueues each
// object once per long period. A lost event therefore only delays a reconcile (docs/decisions/0044).
import { toDisplayName } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import type { ExpandTarget, WorkTarget } from '../../shared/event-source/messages.ts';
import { readState, type StoredState, stateNames, toStateRef } from '../../shared/event-source/state-config-map.ts';
import type { Fingerprints, Inventory, InventoryComparison, Selected } from './inventory.ts';
import type { ResyncOptions } from './options.ts';
import { decideRepairs, type LossRecords, passesThrough, type Repairs, withoutLetters } from './repairs.ts';
import { RunProgress } from './run-progress.ts';
import { partsOf, type ResyncPlan, sendPart, toPlan } from './send-plan.ts';
import { isDueIn, toRun } from './slots.ts';
import { type LastRun, parseLastRun, toData } from './stored-fingerprints.ts';
import { type TakenInventory, takeInventory } from './take-inventory.ts';

/**
 * Stores the result of the comparison after all messages were sent. A run that takes long also stores which objects are
 * settled, and if it ends early, the next run continues. Runs may overlap. Without a stored result, every object is
 * enqueued. A kind that cannot be listed stops the comparison of the objects that depend on it, and of no others. Each
 * further run in which they cannot be compared enqueues them. Afterwards a RetryableError names the failures.
 */
export async function resync(options: ResyncOptions): Promise<void> {
  const { kubernetes, signal } = options;
  const ref = toStateRef(stateNames.resync, options);
  const stored = await readState(kubernetes, ref);
  const run = toRun(options, options.clock.now());
  const taken = await takeInventory(options);
  const { inventory, settings, unknown, failures } = taken;
  signal.throwIfAborted();
  if (inventory.size === 0 && failures.length > 0) {
    throw toResyncError(failures);
  }
  const last = stored.ok ? parseLastRun(stored.value.data) : undefined;
  const before = last?.settings === settings ? last : undefined;
  const repairs = toRepairs(options, { before: last?.losses ?? {}, run });
  const { plan, fingerprints } = select(options, { taken, before, repairs, run });
  const toResult = (result: Pick<LastRun, 'fingerprints' | 'losses'>): StoredState['data'] =>
    // An overlapping run with a faster clock may have stored its number first.
    toData({ run: before?.run === run + 1 ? before.run : run, settings, unknown, ...result });
  const progress = new RunProgress(options, stored.ok ? stored.value : undefined);
  const isWhole = await sendAll(options, { plan, progress }, pending =>
    toResult({ fingerprints: inventory.settled(fingerprints, pending), losses: repairs.records }),
  );
  if (isWhole) {
    await progress.store(toResult({ fingerprints, losses: await sendLettersAgain(options, repairs) }));
  }
  if (!stored.ok) {
    throw toResyncError([...failures, `reading ConfigMap ${toDisplayName(ref)}: ${stored.failure.message}`]);
  }
  if (failures.length > 0) {
    throw toResyncError(failures);
  }
}

interface Selecting {
  readonly taken: TakenInventory;
  readonly before: LastRun | undefined;
  readonly repairs: Repairs;
  readonly run: number;
}

/** Compares with the previous run. Returns what to enqueue, and the fingerprints when this is done. */
function select(
  options: ResyncOptions,
  { taken, before, repairs, run }: Selecting,
): { readonly plan: ResyncPlan; readonly fingerprints: Fingerprints } {
  const { inventory } = taken;
  const { changed, overdue, fingerprints } = compare(inventory, before, taken);
  const isLost = passesThrough(repairs.full);
  const isOverdue = new Set(overdue.work);
  const isDue = isDueIn(options, { previous: before?.run, run });
  const due = inventory.due(target => isOverdue.has(target) || isLost(target.reconciler) || isDue(target.key));
  options.log.info('Resyncing objects', {
    targets: inventory.size,
    changed: changed.work.length,
    expansions: changed.expansions.length,
    due: due.length,
    overdue: overdue.work.length,
  });
  const plan = toPlan({ changed, due, overdue: overdue.expansions, isFirst: before === undefined });
  return { plan, fingerprints };
}

/**
 * Returns false if the time of the invocation was up before all messages were sent, and a part of the result is stored.
 * Throws if nothing is stored then.
 */
async function sendAll(
  options: ResyncOptions,
  { plan, progress }: { readonly plan: ResyncPlan; readonly progress: RunProgress },
  toResult: (pending: ReadonlySet<WorkTarget | ExpandTarget>) => StoredState['data'],
): Promise<boolean> {
  const { signal, log } = options;
  const pending = new Set(targetsOf(plan));
  let sent = 0;
  for (const part of partsOf(plan)) {
    if (signal.aborted && progress.hasStored) {
      log.info('The time of the run is up, the next one continues', { sent, pending: pending.size });
      return false;
    }
    signal.throwIfAborted();
    sent += await sendPart(options, part);
    for (const target of targetsOf(part)) {
      pending.delete(target);
    }
    await progress.storeSometimes(() => toResult(pending));
  }
  log.info('Enqueued objects', { sent });
  return true;
}

function targetsOf({ expansions, later, atOnce }: ResyncPlan): readonly (WorkTarget | ExpandTarget)[] {
  return [...expansions, ...later, ...atOnce];
}

const none: Selected = { work: [], expansions: [] };

/** Without a result to compare with, nothing has changed, and everything is due. */
function compare(
  inventory: Inventory,
  before: LastRun | undefined,
  { unknown, dependants }: Pick<TakenInventory, 'unknown' | 'dependants'>,
): InventoryComparison {
  if (before === undefined) {
    return { changed: none, overdue: none, fingerprints: inventory.fingerprints() };
  }
  if (unknown.size === 0) {
    return inventory.compare(before.fingerprints);
  }
  const [now, previously] = [dependants.of(unknown), dependants.of(before.unknown)];
  return inventory.compare(before.fingerprints, { now, again: target => now(target) && previously(target) });
}

function toRepairs(
  { deadLetters, periodSeconds, log }: ResyncOptions,
  { before, run }: { readonly before: LossRecords; readonly run: number },
): Repairs {
  const repairs = decideRepairs(before, { letters: deadLetters?.letters ?? new Map(), run, periodSeconds });
  if (repairs.full.size > 0) {
    log.info('Enqueueing every object of queues that lost messages', { queues: [...repairs.full] });
  }
  return repairs;
}

async function sendLettersAgain({ deadLetters }: ResyncOptions, { again, records }: Repairs): Promise<LossRecords> {
  let losses = records;
  if (deadLetters !== undefined) {
    for (const queue of again) {
      losses = withoutLetters(losses, queue, await deadLetters.sendAgain(queue));
    }
  }
  return losses;
}

function toResyncError(failures: readonly string[]): RetryableError {
  return new RetryableError(`Resyncing failed for ${failures.join('; ')}`);
}
