// The queues that a command reads. They are the queues of the environment, or of the local run on this machine.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { declarations } from '../functions/declarations.ts';
import { parseConfig } from '../shared/config/env.ts';
import type { QueueName } from '../shared/workqueue/port.ts';
import { deadLetterQueueOf, sharedWorkQueue, workQueueOf } from '../shared/workqueue/queue-names.ts';
import { runFolder, toRunFiles } from './run-folder.ts';
import { UsageError } from './usage-error.ts';

/** The file in which the current local run publishes its queues. */
const localQueuesPath = toRunFiles(runFolder).queues;

export interface QueueTarget {
  /** `local` is the emulator of a local run, which reports more than SQS. */
  readonly kind: 'local' | 'sqs';
  readonly queueUrls: Readonly<Record<QueueName, string>>;
}

const fileSchema = z.object({ queueUrls: z.record(z.string(), z.url()) });

/** Throws UsageError if there are no queues, or if the file or variable that names them cannot be read. */
export function findTarget(env: Readonly<Record<string, string | undefined>>, file = localQueuesPath): QueueTarget {
  const queueUrls = readEnvironment(env);
  if (Object.keys(queueUrls).length > 0) {
    return { kind: 'sqs', queueUrls };
  }
  if (!existsSync(file)) {
    throw new UsageError(
      'No queues are known: start a local run with npm start, or set CAPI_QUEUE_URLS (and AWS credentials) as for a function',
    );
  }
  try {
    return { kind: 'local', ...fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch (cause) {
    throw new UsageError(`${file} cannot be read as the queues of a local run; remove it and start one again`, {
      cause,
    });
  }
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): QueueTarget['queueUrls'] {
  try {
    return parseConfig({ CAPI_QUEUE_URLS: env['CAPI_QUEUE_URLS'] }).queueUrls;
  } catch (cause) {
    throw new UsageError(toError(cause).message, { cause });
  }
}

/** Publishes the queues of a local run to commands on this machine, in `file`. Returns a function that removes them. */
export function publishTarget(queueUrls: QueueTarget['queueUrls'], file: string): () => void {
  const text = `${JSON.stringify({ queueUrls }, undefined, 2)}\n`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return () => {
    // A later local run may have replaced the file.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) {
      rmSync(file);
    }
  };
}

/** Returns the queues that functions poll, in the given order. Dead-letter queues are excluded. */
export function servedQueues({ queueUrls }: QueueTarget): readonly QueueName[] {
  const all = Object.keys(queueUrls);
  const deadLetterQueues = new Set(all.map(deadLetterQueueOf));
  return all.filter(queue => !deadLetterQueues.has(queue));
}

export interface FoundQueue {
  readonly queue: QueueName;
  /** The reconciler that was named, if reconcilers share the queue. */
  readonly reconciler?: string;
}

/**
 * Returns the queue with this name, of this reconciler, or with this dead-letter queue. Throws UsageError if there is
 * none.
 */
export function findQueue(target: QueueTarget, name: string): FoundQueue {
  const served = servedQueues(target);
  const own = served.find(queue => [queue, deadLetterQueueOf(queue)].includes(name) || queue === workQueueOf(name));
  if (own !== undefined) {
    return { queue: own };
  }
  if (served.includes(sharedWorkQueue) && declarations.some(declaration => declaration.name === name)) {
    return { queue: sharedWorkQueue, reconciler: name };
  }
  throw new UsageError(`There is no queue and no reconciler "${name}"; known queues are ${served.join(', ')}`);
}
