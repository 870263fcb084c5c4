// The command line of `capi-serverless redrive`.
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { whichQueues } from '../queues/options.ts';

export interface RedriveOptions {
  /** A queue, its dead-letter queue, or a reconciler, in the user's spelling. */
  readonly of: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const usage = 'capi-serverless redrive QUEUE|RECONCILER';

export const redriveHelp = `Usage: ${usage} [options]

Prints the dead letters of a queue (object, cause, failed tries, trace, receives, age) and moves them back to it. Each is
deleted only after the queue has accepted it again. Find the cause first: without a repair the messages become dead
letters again. If reconcilers share a queue, the name of a reconciler selects its dead letters, and the name of the queue selects all,
unreadable ones as well.
${whichQueues}

  --dry-run  only print them
  --json     one JSON document instead of text
  --help     this text

Exit codes: 0 done, 1 the queue refused some, 2 could not start, 3 an error of this program.
`;

export const redriveOptions = {
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseRedriveOptions(args: readonly string[]): RedriveOptions | 'help' {
  const { values, positionals } = parseArguments({ args: [...args], allowPositionals: true, options: redriveOptions });
  if (values.help === true) {
    return 'help';
  }
  const [of, ...rest] = positionals;
  if (of === undefined || of === '' || rest.length > 0) {
    throw new UsageError(`Expected one queue or reconciler: ${usage}; --help lists the options`);
  }
  return { of, dryRun: values['dry-run'] ?? false, json: values.json ?? false };
}
