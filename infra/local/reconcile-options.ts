// The command line of `npm run reconcile`.
import { parseArguments, parseObjectName } from './arguments.ts';
import { UsageError } from './options.ts';

export interface ReconcileOptions {
  /** Name of a known declaration. */
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
  readonly kubeconfig: string;
  readonly json: boolean;
}

export interface ReconcileSurroundings {
  /** Names of the declarations. */
  readonly reconcilers: readonly string[];
  /** Those of them whose objects have no namespace. Default: none. */
  readonly clusterScoped?: readonly string[];
  /** Where a local run on the embedded API server writes its kubeconfig. */
  readonly embeddedKubeconfig: string;
  readonly exists: (file: string) => boolean;
}

const usage = 'npm run reconcile -- RECONCILER NAMESPACE/NAME';

export function toReconcileHelp(reconcilers: readonly string[]): string {
  return `Usage: ${usage} [options]

Wakes one object now and shows what that invocation did: its API requests, the events it created, its errors, and the
messages it sent for later. Nothing else runs: those messages are shown and end with this command, they wake nobody.
It is safe while a local run or a deployment works on the same object: every reconcile looks at what is there, and a
write that rests on an outdated object is refused by the API server and tried again.

Reconcilers: ${reconcilers.join(', ')}
Objects without namespace, such as ExtensionConfigs, are written as NAME.

  --kubeconfig FILE  the API server to work on (default: that of the local run on this machine, dist/kubeconfig)
  --json             one JSON document instead of text
  --help             this text

Exit codes: 0 reconciled, 1 the reconcile failed, 2 could not start, 3 an error of this program.
`;
}

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parseReconcileOptions(
  args: readonly string[],
  surroundings: ReconcileSurroundings,
): ReconcileOptions | 'help' {
  const { values, positionals } = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  const [reconciler, object, ...rest] = positionals;
  if (reconciler === undefined || object === undefined || rest.length > 0) {
    throw new UsageError(`Expected a reconciler and an object: ${usage}; --help lists the options`);
  }
  if (!surroundings.reconcilers.includes(reconciler)) {
    throw new UsageError(`There is no reconciler "${reconciler}"; known are ${surroundings.reconcilers.join(', ')}`);
  }
  return {
    reconciler,
    ...parseObjectName(object, surroundings.clusterScoped?.includes(reconciler) ? 'Cluster' : 'Namespaced'),
    kubeconfig: toKubeconfig(values.kubeconfig, surroundings),
    json: values.json ?? false,
  };
}

function toKubeconfig(given: string | undefined, { embeddedKubeconfig, exists }: ReconcileSurroundings): string {
  if (given === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  if (given === undefined && !exists(embeddedKubeconfig)) {
    throw new UsageError(
      `No API server to work on: pass --kubeconfig FILE, or start a local run, which writes ${embeddedKubeconfig}`,
    );
  }
  return given ?? embeddedKubeconfig;
}

function parseValues(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    strict: true,
    allowPositionals: true,
    options: { kubeconfig: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  });
}
