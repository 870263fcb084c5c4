// Enqueues what one run of the resync selected, part by part.
import { RetryableError } from '@capi-serverless/reconciler';
import { type ExpandTarget, toExpansion, type WorkTarget } from '../../shared/event-source/messages.ts';
import { settleSend } from '../../shared/event-source/settle-send.ts';
import { toSpread } from '../../shared/workqueue/ids.ts';
import { messageVersion, type Request } from '../../shared/workqueue/message.ts';
import { toDelayedMessage, toExpandMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName } from '../../shared/workqueue/port.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { maxDelaySeconds } from '../../shared/workqueue/timer-grid.ts';
import type { Selected } from './inventory.ts';
import type { ResyncOptions } from './options.ts';

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

/** The messages of one part. A run that ends during a part sends this part again. */
export const partSize = 400;

export interface ResyncPlan {
  readonly expansions: readonly ExpandTarget[];
  /** Goes to the delay queue, one timer for each object. */
  readonly later: readonly WorkTarget[];
  /** Goes to the work queues, in batches of ten. */
  readonly atOnce: readonly WorkTarget[];
}

interface Selections {
  readonly changed: Selected;
  /** The requests that are due without a change. */
  readonly due: readonly WorkTarget[];
  /** The expansions that are due without a change. */
  readonly overdue: readonly ExpandTarget[];
  readonly isFirst: boolean;
}

/** A change waits for its event source. Of the objects that did not change, the first ones wait for nothing. */
export function toPlan({ changed, due, overdue, isFirst }: Selections): ResyncPlan {
  const isChanged = new Set(changed.work);
  const unchanged = due.filter(target => !isChanged.has(target));
  const count = isFirst ? 0 : mostAtOnce;
  return {
    expansions: [...changed.expansions, ...overdue],
    later: [...changed.work, ...unchanged.slice(count)],
    atOnce: unchanged.slice(0, count),
  };
}

/** Returns the parts of the plan, in the order of sending. */
export function partsOf({ expansions, later, atOnce }: ResyncPlan): readonly ResyncPlan[] {
  return [
    ...toParts(expansions).map(part => ({ expansions: part, later: [], atOnce: [] })),
    ...toParts(later).map(part => ({ expansions: [], later: part, atOnce: [] })),
    ...toParts(atOnce).map(part => ({ expansions: [], later: [], atOnce: part })),
  ];
}

function toParts<Target>(targets: readonly Target[]): readonly (readonly Target[])[] {
  const count = Math.ceil(targets.length / partSize);
  return Array.from({ length: count }, (_, index) => targets.slice(index * partSize, (index + 1) * partSize));
}

/** Returns the number of accepted messages. Throws if a queue refuses a message that it may accept later. */
export async function sendPart(options: ResyncOptions, { atOnce, later, expansions }: ResyncPlan): Promise<number> {
  const toRequest = ({ reconciler, key }: WorkTarget): Request => ({
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
