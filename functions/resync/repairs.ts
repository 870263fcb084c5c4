// Decides which messages to send again, because messages did not arrive: they became dead letters, or their queue was
// purged. Pure.
import * as z from 'zod/mini';
import type { QueueName } from '../../shared/workqueue/port.ts';
import {
  deadLetterQueueOf,
  deadLettersSentAgain,
  delayQueue,
  expandQueue,
  isDeadLetterQueue,
  sharedWorkQueue,
  workQueueOf,
} from '../../shared/workqueue/queue-names.ts';

const recordsSchema = z.record(
  z.string(),
  z.object({
    /** The number of messages of a dead-letter queue. */
    letters: z.int().check(z.gte(0)),
    /** The run that last enqueued every object of this queue. */
    fullRun: z.exactOptional(z.int()),
    /** Messages were lost, and no run has enqueued every object since. */
    isOpen: z.exactOptional(z.literal(true)),
  }),
);

/** What is known of the losses of each queue: of a dead-letter queue, or of a queue that was purged. */
export type LossRecords = Readonly<z.infer<typeof recordsSchema>>;

export interface Repairs {
  /** All objects whose messages pass these queues are enqueued. */
  readonly full: ReadonlySet<QueueName>;
  /** The dead letters of these queues are sent again. */
  readonly again: readonly QueueName[];
  readonly records: LossRecords;
}

interface Observed {
  /** The messages of each dead-letter queue. A queue that could not be read is missing. */
  readonly letters: ReadonlyMap<QueueName, number>;
  readonly run: number;
  readonly periodSeconds: number;
}

/**
 * The least time between two runs that enqueue every object of a queue, because its messages become dead letters. A
 * function that cannot start makes dead letters of these messages too.
 */
const fullEverySeconds = 3600;

/** These queues hold messages of all reconcilers. Their messages name all that was lost. */
const ofAll: readonly QueueName[] = [delayQueue, expandQueue];

/**
 * A work queue with more dead letters than in the previous run lost messages, whose objects are not known. Dead letters
 * of the delay queue and of the expand queue are sent again after a run without new ones, because they contain what was
 * lost.
 */
export function decideRepairs(before: LossRecords, { letters, run, periodSeconds }: Observed): Repairs {
  const runs = Math.ceil(fullEverySeconds / periodSeconds);
  const full = new Set<QueueName>();
  const again: QueueName[] = [];
  const records: Record<QueueName, LossRecords[string]> = {};
  for (const queue of new Set([...Object.keys(before), ...letters.keys()])) {
    const known = before[queue] ?? { letters: 0 };
    const count = letters.get(queue) ?? known.letters;
    const rises = count > known.letters;
    const { fullRun } = known;
    const isRecent = fullRun !== undefined && run - fullRun < runs;
    if (deadLettersSentAgain().includes(queue)) {
      if (count > 0 && !rises && letters.has(queue)) {
        again.push(queue);
      }
      keep(records, queue, { letters: count });
    } else if ((rises || known.isOpen === true) && !isRecent) {
      full.add(queue);
      // A purge is reported once, so it needs no limit.
      keep(records, queue, isDeadLetterQueue(queue) ? { letters: count, fullRun: run } : { letters: 0 });
    } else {
      keep(records, queue, {
        letters: count,
        ...(isRecent ? { fullRun } : {}),
        ...(rises || known.isOpen === true ? { isOpen: true } : {}),
      });
    }
  }
  return { full, again, records };
}

/** A record that says nothing is not kept. */
function keep(records: Record<QueueName, LossRecords[string]>, queue: QueueName, record: LossRecords[string]): void {
  if (record.letters > 0 || record.fullRun !== undefined || record.isOpen === true) {
    records[queue] = record;
  }
}

/** Returns true for the reconcilers whose messages pass one of these queues. */
export function passesThrough(queues: ReadonlySet<QueueName>): (reconciler: string) => boolean {
  const isAll = [...ofAll, sharedWorkQueue, deadLetterQueueOf(sharedWorkQueue)].some(queue => queues.has(queue));
  return reconciler => {
    const own = workQueueOf(reconciler);
    return isAll || queues.has(own) || queues.has(deadLetterQueueOf(own));
  };
}

/** Notes that the messages of this queue were deleted. */
export function withPurge(records: LossRecords, queue: QueueName): LossRecords {
  return { ...records, [queue]: { ...(records[queue] ?? { letters: 0 }), isOpen: true } };
}

/** After this number of dead letters of the queue was sent again. */
export function withoutLetters(records: LossRecords, queue: QueueName, sent: number): LossRecords {
  const known = records[queue];
  return known === undefined
    ? records
    : { ...records, [queue]: { ...known, letters: Math.max(0, known.letters - sent) } };
}

export function toLossText(records: LossRecords): string {
  return JSON.stringify(records);
}

/** Returns no records for a text that this version cannot read. */
export function parseLossText(text: string | undefined): LossRecords {
  try {
    return recordsSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
