// `capi-serverless redrive`: prints the dead letters of a queue and moves them back to the queue.
import { randomUUID } from 'node:crypto';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { exitCodes } from '../../local/exit-codes.ts';
import { findQueue, findTarget, type QueueTarget } from '../../local/queue-target.ts';
import { UsageError } from '../../local/usage-error.ts';
import { deadLetterQueueOf } from '../../shared/workqueue/queue-names.ts';
import { defineCommand, type Print } from '../command.ts';
import { untilInterrupted } from '../interrupted.ts';
import { queuesOf, whileReachable } from '../queues/reach.ts';
import { parseRedriveOptions, type RedriveOptions, redriveHelp, redriveOptions } from './options.ts';
import { redrive } from './redrive.ts';
import { toLetterLine, toRedriveSummary } from './redrive-text.ts';

export const redriveCommand = defineCommand({
  options: redriveOptions,
  help: () => redriveHelp,
  parse: parseRedriveOptions,
  // If the command is interrupted, it finishes the current message first, so that no dead letter is in both queues.
  execute: (options, print) =>
    redriveQueue(findTarget(process.env), options, { print, interrupted: untilInterrupted() }),
});

/** Resolves with the exit code. Throws UsageError if there is no such queue, or if the queue cannot be reached. */
export async function redriveQueue(
  target: QueueTarget,
  options: RedriveOptions,
  { print, interrupted }: { readonly print: Print; readonly interrupted: AbortSignal },
): Promise<number> {
  const found = findQueue(target, options.of);
  const deadLetterQueue = deadLetterQueueOf(found.queue);
  if (!Object.hasOwn(target.queueUrls, deadLetterQueue)) {
    throw new UsageError(`The URL of dead-letter queue "${deadLetterQueue}" is not known; add it to CAPI_QUEUE_URLS`);
  }
  const redriven = await whileReachable(target, () =>
    redrive({
      ...found,
      dryRun: options.dryRun,
      queues: queuesOf(target),
      now: () => systemClock.now(),
      newId: randomUUID,
      signal: interrupted,
      report: (letter, number, of) => {
        if (!options.json) {
          print(`${number}/${of}  ${toLetterLine(letter)}\n`);
        }
      },
    }),
  );
  print(options.json ? `${JSON.stringify(redriven, undefined, 2)}\n` : toRedriveSummary(redriven));
  return redriven.letters.some(({ outcome }) => outcome === 'refused') ? exitCodes.notReady : exitCodes.done;
}
