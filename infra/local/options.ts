// The command line of the local run.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toError } from '../../shared/kernel/errors.ts';

export interface Options {
  readonly kubeconfig: string;
  readonly apply: readonly string[];
  readonly installCrds: boolean;
  readonly exitWhenReady: boolean;
  readonly timeoutSeconds: number;
  readonly watchFilter: string;
  readonly json: boolean;
}

/** What the user asked for cannot be started: one line on standard error, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message.trim().replaceAll(/\s*\n\s*/g, ' '), options);
  }
}

export const defaultTimeoutSeconds = 300;
const longestTimeoutSeconds = 86_400;

export const help = `Usage: npm start -- --kubeconfig FILE [options]

Reconciles the Clusters of an API server: every function runs behind its queue as it is deployed.

  --kubeconfig FILE     the API server to work on (default: $KUBECONFIG)
  --apply FILE          apply a manifest once everything runs; may be given several times
  --install-crds        create the CRDs that are missing; existing ones are only checked
  --exit-when-ready     stop once all applied Clusters (without --apply: all Clusters) are Provisioned
  --timeout SECONDS     give up waiting after this long (default ${defaultTimeoutSeconds}); only with --exit-when-ready
  --watch-filter VALUE  only objects whose label cluster.x-k8s.io/watch-filter has this value
  --json                progress as JSON lines, then a summary
  --help                this text

Exit codes: 0 done, 1 Clusters not ready in time, 2 could not start, 3 an error of this program.
`;

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | 'help' {
  const values = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  if (values.timeout !== undefined && values['exit-when-ready'] !== true) {
    throw new UsageError('--timeout needs --exit-when-ready');
  }
  return {
    kubeconfig: kubeconfigOf(values.kubeconfig, env),
    apply: values.apply ?? [],
    installCrds: values['install-crds'] ?? false,
    exitWhenReady: values['exit-when-ready'] ?? false,
    timeoutSeconds: parseTimeout(values.timeout),
    watchFilter: values['watch-filter'] ?? '',
    json: values.json ?? false,
  };
}

function kubeconfigOf(option: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (option === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  if (option !== undefined) {
    return option;
  }
  const given = env['KUBECONFIG'] ?? '';
  if (given === '') {
    throw new UsageError('No API server given: pass --kubeconfig FILE or set KUBECONFIG');
  }
  if (given.includes(path.delimiter)) {
    throw new UsageError(`KUBECONFIG names several files (${given}): pass one of them as --kubeconfig FILE`);
  }
  return given;
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        kubeconfig: { type: 'string' },
        apply: { type: 'string', multiple: true },
        'install-crds': { type: 'boolean' },
        'exit-when-ready': { type: 'boolean' },
        timeout: { type: 'string' },
        'watch-filter': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (cause) {
    // Node goes on with advice for programs, after a full stop.
    const [problem] = toError(cause).message.split(/\.\s/);
    throw new UsageError(`${problem}; --help lists the options`, { cause });
  }
}

function parseTimeout(text: string | undefined): number {
  if (text === undefined) {
    return defaultTimeoutSeconds;
  }
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= longestTimeoutSeconds)) {
    throw new UsageError(`--timeout must be a number of seconds, more than 0 and at most a day, got "${text}"`);
  }
  return seconds;
}
