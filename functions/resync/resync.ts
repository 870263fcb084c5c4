// Finds the changes since the previous run by comparing lists, and enqueues what they affect. It also enqueues each
// object once per long period. A lost event therefore only delays a reconcile (docs/decisions/0044).
import { toDisplayName } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import { toExpansion } from '../../shared/event-source/messages.ts';
import { settleSend } from '../../shared/event-source/settle-send.ts';
import {
  isOvertaken,
  readState,
  type StoredState,
  stateNames,
  toStateRef,
  writeState,
} from '../../shared/event-source/state-config-map.ts';
import { toSpread } from '../../shared/workqueue/ids.ts';
import { messageVersion, type Request } from '../../shared/workqueue/message.ts';
import { toDelayedMessage, toExpandMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName } from '../../shared/workqueue/port.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { maxDelaySeconds } from '../../shared/workqueue/timer-grid.ts';
import type { Selected } from './inventory.ts';
import type { ResyncOptions } from './options.ts';
import { isDueIn, toRun } from './slots.ts';
import { parseLastRun, toData } from './stored-fingerprints.ts';
import { takeInventory } from './take-inventory.ts';

/**
 * An event source may be slower than the resync. Its message should come first, so that only lost events count as
 * missed.
 */
const slowestSourceSeconds = 120;

/**
 * The objects that one run reconciles at once. They make up to ten requests each. Further objects are spread over the
 * period by timers, which cost as much as the reconciles.
 */
export const mostAtOnce = 300;

/**
 * Stores the result of the comparison after all messages were sent. If a run ends early, the next run finds the same
 * changes again. Runs may overlap. Without a stored result, every object is enqueued. A failed kind does not stop the
 * others. Afterwards a RetryableError names the failures.
 */
export async function resync(options: ResyncOptions): Promise<void> {
  const { kubernetes, log, signal } = options;
  const ref = toStateRef(stateNames.resync, options);
  const stored = await readState(kubernetes, ref);
  const run = toRun(options, options.clock.now());
  const { inventory, settings, failures } = await takeInventory(options);
  signal.throwIfAborted();
  if (inventory.size === 0 && failures.length > 0) {
    throw toError(failures);
  }
  const last = stored.ok ? parseLastRun(stored.value.data) : undefined;
  const before = last?.settings === settings ? last : undefined;
  const fingerprints = inventory.fingerprints();
  const changed = before === undefined ? none : inventory.changedSince(before.fingerprints, fingerprints);
  const isDue = isDueIn(options, { previous: before?.run, run });
  const due = inventory.due(({ key }) => isDue(key));
  const sent = await send(options, toPlan({ changed, due, isFirst: before === undefined }));
  const counts = { changed: changed.work.length, expansions: changed.expansions.length, due: due.work.length };
  log.info('Resyncing objects', { targets: inventory.size, ...counts, sent });
  if (!stored.ok) {
    throw toError([...failures, `reading ConfigMap ${toDisplayName(ref)}: ${stored.failure.message}`]);
  }
  // An overlapping run with a faster clock may have stored its number first.
  const data = toData({ run: before?.run === run + 1 ? before.run : run, settings, fingerprints });
  await write(options, { before: stored.value, data });
  if (failures.length > 0) {
    throw toError(failures);
  }
}

const none: Selected = { work: [], expansions: [] };

interface Plan {
  /** Goes to the work queues, in batches of ten. */
  readonly atOnce: Selected['work'];
  /** Goes to the delay queue, one timer for each object. */
  readonly later: Selected['work'];
  readonly expansions: Selected['expansions'];
}

/** A change waits for its event source. Of the objects that did not change, the first ones wait for nothing. */
function toPlan({ changed, due, isFirst }: Record<'changed' | 'due', Selected> & { readonly isFirst: boolean }): Plan {
  const { work, expansions } = changed;
  const isChanged = new Set(work);
  const unchanged = due.work.filter(target => !isChanged.has(target));
  const count = isFirst ? 0 : mostAtOnce;
  return { atOnce: unchanged.slice(0, count), later: [...work, ...unchanged.slice(count)], expansions };
}

/** Returns the number of accepted messages. Throws if a queue refuses a message that it may accept later. */
async function send(options: ResyncOptions, { atOnce, later, expansions }: Plan): Promise<number> {
  const toRequest = ({ reconciler, key }: Selected['work'][number]): Request => ({
    v: messageVersion,
    reconciler,
    key,
    cause: 'resync',
    attempt: 0,
    trace: options.newId(),
  });
  const spreadSeconds = Math.min(options.periodSeconds, maxDelaySeconds);
  const settleSeconds = Math.min(slowestSourceSeconds, Math.floor(spreadSeconds / 2));
  const timers = later.map(target =>
    toDelayedMessage(
      toRequest(target),
      settleSeconds + toSpread(target.key, spreadSeconds - settleSeconds, target.reconciler),
    ),
  );
  const expanded = expansions.map(target => {
    const expansion = { ...toExpansion({ target }, options.newId), cause: 'resync' } as const;
    return { ...toExpandMessage(expansion), delaySeconds: settleSeconds };
  });
  let sent = (await sendTo(options, delayQueue, timers)) + (await sendTo(options, expandQueue, expanded));
  for (const [reconciler, targets] of Map.groupBy(atOnce, target => target.reconciler)) {
    const messages = targets.map(target => toWorkMessage(toRequest(target), options.newId));
    sent += await sendTo(options, workQueueOf(reconciler), messages);
  }
  return sent;
}

async function sendTo(
  { queues, metrics, log }: ResyncOptions,
  queue: QueueName,
  messages: readonly OutgoingMessage[],
): Promise<number> {
  if (messages.length === 0) {
    return 0;
  }
  const { sent, refused } = settleSend(messages, await queues.send(queue, messages), { queue, metrics, log });
  const [first] = refused;
  if (first !== undefined) {
    throw new RetryableError(`Resyncing failed: queue ${queue}: ${first.error.message}`, { cause: first.error });
  }
  return sent;
}

async function write(
  options: ResyncOptions,
  change: { readonly before: StoredState; readonly data: StoredState['data'] },
): Promise<void> {
  const ref = toStateRef(stateNames.resync, options);
  const written = await writeState(options.kubernetes, ref, change);
  if (!written.ok && !isOvertaken(written.failure.reason)) {
    throw toError([`writing ConfigMap ${toDisplayName(ref)}: ${written.failure.message}`]);
  }
}

function toError(failures: readonly string[]): RetryableError {
  return new RetryableError(`Resyncing failed for ${failures.join('; ')}`);
}
