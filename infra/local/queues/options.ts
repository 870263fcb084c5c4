// The command lines of `npm run queues` and `npm run redrive`.
import { parseArguments } from '../arguments.ts';
import { UsageError } from '../options.ts';

const where = `The queues are those that CAPI_QUEUE_URLS names (with credentials and region of AWS in the environment), else those of the
local run on this machine.`;

export const queuesHelp = `Usage: npm run queues -- [options]

Shows what each queue holds: messages visible, in flight, delayed, how old the oldest is, and dead letters.
${where}

  --json  one JSON document instead of text
  --help  this text

Exit codes: 0 shown, 2 could not start, 3 an error of this program.
`;

export const redriveHelp = `Usage: npm run redrive -- QUEUE|RECONCILER [options]

Shows the dead letters of a queue (object, cause, failed tries, trace, receives, age) and moves them back to it. Each is
deleted only after the queue has accepted it again. Find out first why they died: what is not mended dies again.
${where}

  --dry-run  only show them
  --json     one JSON document instead of text
  --help     this text

Exit codes: 0 done, 1 the queue refused some, 2 could not start, 3 an error of this program.
`;

export interface QueuesOptions {
  readonly json: boolean;
}

export interface RedriveCommand extends QueuesOptions {
  /** As given: a queue, its dead-letter queue, or a reconciler. */
  readonly of: string;
  readonly dryRun: boolean;
}

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parseQueuesOptions(args: readonly string[]): QueuesOptions | 'help' {
  const { values } = parseArguments({
    args: [...args],
    options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  return values.help === true ? 'help' : { json: values.json ?? false };
}

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parseRedriveOptions(args: readonly string[]): RedriveCommand | 'help' {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    return 'help';
  }
  const [of, ...rest] = positionals;
  if (of === undefined || of === '' || rest.length > 0) {
    throw new UsageError(
      'Expected one queue or reconciler: npm run redrive -- QUEUE|RECONCILER; --help lists the options',
    );
  }
  return { of, dryRun: values['dry-run'] ?? false, json: values.json ?? false };
}
