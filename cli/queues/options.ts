// The command line of `capi-serverless queues`.
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export const whichQueues = `The queues are those of CAPI_QUEUE_URLS (with the credentials and the region of AWS in the environment); without it those
of the local run on this machine.`;

export const queuesHelp = `Usage: capi-serverless queues [options]

Prints what each queue holds: messages visible, in flight, delayed, the age of the oldest, and dead letters.
${whichQueues}

  --json  one JSON document instead of text
  --help  this text

Exit codes: 0 printed, 2 could not start, 3 an error of this program.
`;

export interface QueuesOptions {
  readonly json: boolean;
}

export const queuesOptions = {
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseQueuesOptions(args: readonly string[]): QueuesOptions | 'help' {
  const { values } = parseArguments({ args: [...args], options: queuesOptions });
  return values.help === true ? 'help' : { json: values.json ?? false };
}
