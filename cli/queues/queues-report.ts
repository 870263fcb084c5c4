// The number of messages in each queue, for users and for scripts.

import type { Instant } from '@capi-serverless/apimachinery';
import { readOldest } from '../../local/queue-contents.ts';
import { type QueueTarget, servedQueues } from '../../local/queue-target.ts';
import type { QueueDepth, QueueName, QueueReceiver } from '../../shared/workqueue/port.ts';
import { deadLetterQueueOf } from '../../shared/workqueue/queue-names.ts';

interface QueueStatus extends QueueDepth {
  readonly queue: QueueName;
  /** The age of the oldest message. Absent if the queue is empty, and on SQS, which does not report it. */
  readonly oldestSeconds?: number;
  /** Absent if the URL of its dead-letter queue is not known. */
  readonly deadLetters?: number;
}

export interface QueuesReport {
  readonly source: QueueTarget['kind'];
  readonly queues: readonly QueueStatus[];
}

/** Reads all queues in parallel. Throws QueueError if one cannot be read. */
export async function readReport(
  target: QueueTarget,
  { queues, now }: { readonly queues: Pick<QueueReceiver, 'depth'>; readonly now: Instant },
): Promise<QueuesReport> {
  const read = async (queue: QueueName): Promise<QueueStatus> => {
    const deadLetterQueue = deadLetterQueueOf(queue);
    const [depth, dead, oldestAt] = await Promise.all([
      queues.depth(queue),
      Object.hasOwn(target.queueUrls, deadLetterQueue) ? queues.depth(deadLetterQueue) : undefined,
      target.kind === 'local' ? readOldest(new URL(target.queueUrls[queue] ?? '').origin, queue) : undefined,
    ]);
    return {
      queue,
      ...depth,
      ...(oldestAt === undefined ? {} : { oldestSeconds: Math.max(0, Math.round((now - oldestAt) / 1000)) }),
      ...(dead === undefined ? {} : { deadLetters: dead.visible + dead.inFlight + dead.delayed }),
    };
  };
  return { source: target.kind, queues: await Promise.all(servedQueues(target).map(read)) };
}

const heads = ['QUEUE', 'VISIBLE', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'DEAD LETTERS'];

/** Returns a table, then a remedy, with a line break at the end. */
export function toReportText({ source, queues }: QueuesReport): string {
  const rows = queues.map(({ queue, visible, inFlight, delayed, oldestSeconds, deadLetters }) => [
    queue,
    ...[visible, inFlight, delayed].map(String),
    oldestSeconds === undefined ? '-' : `${oldestSeconds} s`,
    deadLetters === undefined ? '?' : String(deadLetters),
  ]);
  const table = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return `${[...table.map(toLine), '', ...toAdvice(source, queues)].join('\n')}\n`;
}

function toAdvice(source: QueueTarget['kind'], queues: readonly QueueStatus[]): readonly string[] {
  const dead = queues.filter(({ deadLetters = 0 }) => deadLetters > 0);
  const unknown = queues.filter(({ deadLetters }) => deadLetters === undefined);
  const namesOf = (some: readonly QueueStatus[]): readonly string[] => some.map(({ queue }) => queue);
  const lines = namesOf(dead).map(
    queue =>
      `npx capi-serverless redrive ${queue} --dry-run shows its dead letters; without --dry-run it moves them back.`,
  );
  if (source === 'sqs') {
    lines.unshift(
      'SQS does not report the age of messages: see the CloudWatch metric ApproximateAgeOfOldestMessage of each queue.',
    );
  }
  if (unknown.length > 0) {
    const missing = namesOf(unknown).map(deadLetterQueueOf).join(', ');
    lines.push(`CAPI_QUEUE_URLS names no dead-letter queue of ${namesOf(unknown).join(', ')}: add ${missing}.`);
  } else if (dead.length === 0) {
    lines.push('No dead letters.');
  }
  return lines;
}
