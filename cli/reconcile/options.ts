// The command line of `capi-serverless reconcile`.

import type { Name } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments, parseObjectName } from '../arguments.ts';
import { parseProviders } from '../start/options.ts';

export interface ReconcileOptions {
  /** The name of a reconciler in the user's spelling. */
  readonly reconciler: string;
  /** The name of an object in the user's spelling. */
  readonly object: string;
  /** The folders of providers whose reconcilers are also available. */
  readonly providers: readonly string[];
  readonly kubeconfig: string;
  readonly json: boolean;
}

/** The reconciler in the options, and its object. */
export interface ReconcileSubject {
  readonly declaration: Declaration;
  readonly name: Name;
}

interface ReconcileContext {
  /** The path of the kubeconfig that a local run with the embedded API server writes. */
  readonly embeddedKubeconfig: string;
  readonly exists: (file: string) => boolean;
}

const usage = 'capi-serverless reconcile RECONCILER NAMESPACE/NAME';

export function toReconcileHelp(reconcilers: readonly string[]): string {
  return `Usage: ${usage} [options]

Reconciles one object now and prints what that invocation did: its API requests, the events it created, its errors, and the
messages it sent for later. Nothing else runs: those messages are printed and end with this command; no other function
receives them.
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

export const reconcileOptions = {
  provider: { type: 'string', multiple: true, values: 'folder' },
  kubeconfig: { type: 'string', values: 'file' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseReconcileOptions(args: readonly string[], context: ReconcileContext): ReconcileOptions | 'help' {
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
    kubeconfig: toKubeconfig(values.kubeconfig, context),
    json: values.json ?? false,
  };
}

/** Throws UsageError if no reconciler has this name, or if the object's name has the wrong form for its kind. */
export function findSubject(
  { reconciler, object, providers }: Pick<ReconcileOptions, 'reconciler' | 'object' | 'providers'>,
  declarations: readonly Declaration[],
): ReconcileSubject {
  const declaration = declarations.find(({ name }) => name === reconciler);
  if (declaration === undefined) {
    const known = declarations.map(({ name }) => name).join(', ');
    const remedy = providers.length === 0 ? '; --provider FOLDER adds those of your own provider' : '';
    throw new UsageError(`There is no reconciler "${reconciler}"; known are ${known}${remedy}`);
  }
  return { declaration, name: parseObjectName(object, declaration.primary.scope) };
}

function toKubeconfig(given: string | undefined, { embeddedKubeconfig, exists }: ReconcileContext): string {
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
    options: reconcileOptions,
  });
}
