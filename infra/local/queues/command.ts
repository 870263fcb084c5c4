// The two commands over queues, from options to exit code.
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../shared/telemetry/system-clock.ts';
import { deadLetterQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { createSqsClient } from '../../../shared/workqueue/sqs/client.ts';
import { createSqsQueues, QueueError } from '../../../shared/workqueue/sqs/queues.ts';
import { exitCodes } from '../drive.ts';
import { UsageError } from '../options.ts';
import { localClient } from '../sqs.ts';
import type { QueuesOptions, RedriveCommand } from './options.ts';
import { redrive } from './redrive.ts';
import { toLetterLine, toRedriveSummary } from './redrive-text.ts';
import { readReport, toReportText } from './status.ts';
import { findQueue, type Target } from './target.ts';

type Print = (text: string) => void;

/** Resolves with the exit code. Throws UsageError when the queues cannot be asked. */
export async function showQueues(target: Target, options: QueuesOptions, print: Print): Promise<number> {
  const report = await reaching(target, () => readReport(target, { queues: queuesOf(target), now: systemClock.now() }));
  print(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toReportText(report));
  return exitCodes.done;
}

/** Resolves with the exit code. Throws UsageError when there is no such queue, or it cannot be reached. */
export async function redriveQueue(
  target: Target,
  options: RedriveCommand,
  { print, interrupted }: { readonly print: Print; readonly interrupted: AbortSignal },
): Promise<number> {
  const queue = findQueue(target, options.of);
  const deadLetterQueue = deadLetterQueueOf(queue);
  if (!Object.hasOwn(target.queueUrls, deadLetterQueue)) {
    throw new UsageError(`The URL of dead-letter queue "${deadLetterQueue}" is not known; add it to CAPI_QUEUE_URLS`);
  }
  const redriven = await reaching(target, () =>
    redrive({
      queue,
      dryRun: options.dryRun,
      queues: queuesOf(target),
      now: () => systemClock.now(),
      newId: randomUUID,
      signal: interrupted,
      tell: (letter, number, of) => {
        if (!options.json) {
          print(`${number}/${of}  ${toLetterLine(letter)}\n`);
        }
      },
    }),
  );
  print(options.json ? `${JSON.stringify(redriven, undefined, 2)}\n` : toRedriveSummary(redriven));
  return redriven.letters.some(({ outcome }) => outcome === 'refused') ? exitCodes.notReady : exitCodes.done;
}

function queuesOf({ kind, queueUrls }: Target) {
  const [url = ''] = Object.values(queueUrls);
  const client = kind === 'local' ? localClient(new URL(url).origin) : createSqsClient(queueUrls);
  return createSqsQueues({ queueUrls, client });
}

/** Queues that cannot be reached are no mistake of this program. */
async function reaching<T>({ kind }: Target, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof QueueError)) {
      throw thrown;
    }
    const remedy =
      kind === 'local' ? 'is the local run still there?' : 'check CAPI_QUEUE_URLS, AWS_REGION and credentials';
    throw new UsageError(`${thrown.message}; ${remedy}`, { cause: thrown });
  }
}
