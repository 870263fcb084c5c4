// `capi-serverless queues`: prints the number of messages in the queues.
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { exitCodes } from '../../local/exit-codes.ts';
import { findTarget, type QueueTarget } from '../../local/queue-target.ts';
import { defineCommand, type Print } from '../command.ts';
import { parseQueuesOptions, type QueuesOptions, queuesHelp, queuesOptions } from './options.ts';
import { readReport, toReportText } from './queues-report.ts';
import { queuesOf, whileReachable } from './reach.ts';

export const queuesCommand = defineCommand({
  options: queuesOptions,
  help: () => queuesHelp,
  parse: parseQueuesOptions,
  execute: (options, print) => showQueues(findTarget(process.env), options, print),
});

/** Resolves with the exit code. Throws UsageError if the queues cannot be reached. */
export async function showQueues(target: QueueTarget, options: QueuesOptions, print: Print): Promise<number> {
  const report = await whileReachable(target, () =>
    readReport(target, { queues: queuesOf(target), now: systemClock.now() }),
  );
  print(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toReportText(report));
  return exitCodes.done;
}
