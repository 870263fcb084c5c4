// The command line of `capi-serverless ui`.
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { parsePort } from '../port-option.ts';

export interface UiOptions {
  /** `undefined`: that of the local run on this machine. */
  readonly kubeconfig: string | undefined;
  readonly port: number;
  /** Whether to print the address in a JSON document. */
  readonly json: boolean;
}

export const uiOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  port: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

export const uiHelp = `Usage: capi-serverless ui [--kubeconfig FILE] [--port PORT]

Serves a page about the Clusters of an API server on the loopback address, until Ctrl-C: their objects, what they wait
for, rollouts, the queues, and plans of pasted changes. It only reads, and shows no Secret.
capi-serverless start --ui shows each reconcile besides.

  --kubeconfig FILE  the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --port PORT        the port of the page (default: any free one)
  --json             one JSON document with the address instead of text
  --help             this text

The queues are those of CAPI_QUEUE_URLS; without it those of the local run on this machine, if there is one.

Exit codes: 0 ended by Ctrl-C, 2 could not start, 3 an error of this program.
`;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseUiOptions(args: readonly string[]): UiOptions | 'help' {
  const { values } = parseArguments({ args: [...args], options: uiOptions });
  if (values.help === true) {
    return 'help';
  }
  const { kubeconfig, port = '0', json = false } = values;
  if (kubeconfig === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  return { kubeconfig, port: parsePort('port', port), json };
}
