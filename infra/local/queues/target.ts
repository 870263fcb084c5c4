// Which queues a command looks at: those of the environment, as a function would find them, or of the local run on this machine.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { parseConfig } from '../../../shared/config/env.ts';
import { toError } from '../../../shared/kernel/errors.ts';
import type { QueueName } from '../../../shared/workqueue/port.ts';
import { deadLetterQueueOf, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { projectRoot } from '../../bundles/bundle.ts';
import { UsageError } from '../options.ts';

/** Where the running local run says which queues it has. */
export const localQueuesPath = path.join(projectRoot, 'dist/queues.json');

export interface Target {
  /** `local`: the emulator of a local run, which tells more than SQS can. */
  readonly kind: 'local' | 'sqs';
  readonly queueUrls: Readonly<Record<QueueName, string>>;
}

const fileSchema = z.object({ queueUrls: z.record(z.string(), z.url()) });

/** Throws UsageError when there are no queues to look at, or when what names them cannot be read. */
export function findTarget(env: Readonly<Record<string, string | undefined>>, file = localQueuesPath): Target {
  const queueUrls = readEnvironment(env);
  if (Object.keys(queueUrls).length > 0) {
    return { kind: 'sqs', queueUrls };
  }
  if (!existsSync(file)) {
    throw new UsageError(
      'No queues to look at: start a local run with npm start, or set CAPI_QUEUE_URLS (and AWS credentials) as for a function',
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

function readEnvironment(env: Readonly<Record<string, string | undefined>>): Target['queueUrls'] {
  try {
    return parseConfig({ CAPI_QUEUE_URLS: env['CAPI_QUEUE_URLS'] }).queueUrls;
  } catch (cause) {
    throw new UsageError(toError(cause).message, { cause });
  }
}

/** Tells commands of this machine about the queues of a local run. Returns how to take that back. */
export function publishTarget(queueUrls: Target['queueUrls'], file = localQueuesPath): () => void {
  const text = `${JSON.stringify({ queueUrls }, undefined, 2)}\n`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return () => {
    // Another local run that was started meanwhile has put its own there.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) {
      rmSync(file);
    }
  };
}

/** The queues that functions serve, in the order given: all but the dead-letter queues. */
export function servedQueues({ queueUrls }: Target): readonly QueueName[] {
  const all = Object.keys(queueUrls);
  const deadLetterQueues = new Set(all.map(deadLetterQueueOf));
  return all.filter(queue => !deadLetterQueues.has(queue));
}

/** The queue of that name, of that reconciler, or whose dead-letter queue it is. Throws UsageError when there is none. */
export function findQueue(target: Target, name: string): QueueName {
  const served = servedQueues(target);
  const found = served.find(queue => [queue, deadLetterQueueOf(queue)].includes(name) || queue === workQueueOf(name));
  if (found === undefined) {
    throw new UsageError(`There is no queue and no reconciler "${name}"; known queues are ${served.join(', ')}`);
  }
  return found;
}
