// The command line of `npm run plan`.
import { parseArguments, parseObjectName } from '../arguments.ts';
import { UsageError } from '../options.ts';

/** Where the objects are. */
export type Source =
  | { readonly from: 'server'; readonly kubeconfig: string }
  | { readonly from: 'files'; readonly files: readonly string[] };

export interface PlanOptions {
  readonly source: Source;
  /** Name of a reconciler that can be planned. */
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
  readonly callHooks: boolean;
  readonly json: boolean;
}

export interface PlanSurroundings {
  readonly reconcilers: readonly string[];
  /** Where a local run on the embedded API server writes its kubeconfig. */
  readonly embeddedKubeconfig: string;
  readonly exists: (file: string) => boolean;
}

const usage = 'npm run plan -- [--kubeconfig FILE | --files FILE…] RECONCILER NAMESPACE/NAME';

export function toPlanHelp(reconcilers: readonly string[]): string {
  return `Usage: ${usage}

Prints what the reconciler would do to an object now, and why: its actions in order, the changes of the status, the
events, and when it would look again. It writes nothing: the objects are read, the reconciler's own code decides, and
its writes are imagined.

Reconcilers: ${reconcilers.join(', ')}

  --kubeconfig FILE  the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --files FILE…      read the objects from manifests instead, as "kubectl get -o yaml" prints them; no server is asked,
                     and workload clusters are taken to answer as their Clusters last reported
  --call-hooks       call runtime hooks; without it the plan only tells which ones would be asked
  --json             one JSON document instead of text
  --help             this text

Exit codes: 0 planned, 1 the reconcile would fail, 2 could not plan, 3 an error of this program.
`;
}

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parsePlanOptions(args: readonly string[], surroundings: PlanSurroundings): PlanOptions | 'help' {
  const { values, positionals } = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  // A shell spreads `--files *.yaml` over what follows the option.
  const files = values.files === undefined ? [] : [...values.files, ...positionals.slice(0, -2)];
  const [reconciler, object, ...rest] = values.files === undefined ? positionals : positionals.slice(-2);
  if (reconciler === undefined || object === undefined || rest.length > 0) {
    throw new UsageError(`Expected a reconciler and an object: ${usage}; --help lists the options`);
  }
  if (!surroundings.reconcilers.includes(reconciler)) {
    throw new UsageError(
      `There is no reconciler "${reconciler}" to plan; known are ${surroundings.reconcilers.join(', ')}`,
    );
  }
  return {
    reconciler,
    ...parseObjectName(object),
    source: toSource(values.kubeconfig, files, surroundings),
    callHooks: values['call-hooks'] ?? false,
    json: values.json ?? false,
  };
}

function toSource(
  kubeconfig: string | undefined,
  files: readonly string[],
  { embeddedKubeconfig, exists }: PlanSurroundings,
): Source {
  if (kubeconfig === '' || files.includes('')) {
    throw new UsageError(`--${kubeconfig === '' ? 'kubeconfig' : 'files'} names no file`);
  }
  if (files.length > 0) {
    if (kubeconfig !== undefined) {
      throw new UsageError('The objects come from --kubeconfig or from --files, not from both');
    }
    return { from: 'files', files };
  }
  if (kubeconfig === undefined && !exists(embeddedKubeconfig)) {
    throw new UsageError(
      `No API server to read from: pass --kubeconfig FILE or --files FILE, or start a local run, which writes ${embeddedKubeconfig}`,
    );
  }
  return { from: 'server', kubeconfig: kubeconfig ?? embeddedKubeconfig };
}

function parseValues(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    strict: true,
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      files: { type: 'string', multiple: true },
      'call-hooks': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
}
