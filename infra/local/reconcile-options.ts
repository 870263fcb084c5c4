// The command line of `npm run reconcile`.
import type { Name } from '../../shared/api/object.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import { parseArguments, parseObjectName } from './arguments.ts';
import { parseProviders, UsageError } from './options.ts';

export interface ReconcileOptions {
  /** Name of a reconciler, as written. */
  readonly reconciler: string;
  /** Name of an object, as written. */
  readonly object: string;
  /** Folders of providers whose reconcilers are known as well. */
  readonly providers: readonly string[];
  readonly kubeconfig: string;
  readonly json: boolean;
}

/** What the options name: which of the reconcilers, and which of its objects. */
export interface ReconcileSubject {
  readonly declaration: Declaration;
  readonly name: Name;
}

export interface ReconcileSurroundings {
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

  --provider FOLDER  know the reconcilers of this provider as well; may be given several times
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
  return {
    reconciler,
    object,
    providers: parseProviders(values.provider ?? []),
    kubeconfig: toKubeconfig(values.kubeconfig, surroundings),
    json: values.json ?? false,
  };
}

/** Throws UsageError when none of the reconcilers is meant, or the object is not written as one of its kind. */
export function findSubject(
  { reconciler, object, providers }: Pick<ReconcileOptions, 'reconciler' | 'object' | 'providers'>,
  declarations: readonly Declaration[],
): ReconcileSubject {
  const declaration = declarations.find(({ name }) => name === reconciler);
  if (declaration === undefined) {
    const known = declarations.map(({ name }) => name).join(', ');
    const remedy = providers.length === 0 ? '; --provider FOLDER brings those of a provider of your own' : '';
    throw new UsageError(`There is no reconciler "${reconciler}"; known are ${known}${remedy}`);
  }
  return { declaration, name: parseObjectName(object, declaration.primary.scope) };
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
    options: {
      provider: { type: 'string', multiple: true },
      kubeconfig: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
}
