// The command line of `capi-serverless plan`.

import type { Kind, Name } from '@capi-serverless/apimachinery';
import { defaultNamespace } from '../../local/manifests.ts';
import { UsageError } from '../../local/usage-error.ts';
import { isObjectName } from '../../shared/workqueue/object-names.ts';
import { type OptionDefinitions, parseArguments, parseObjectName } from '../arguments.ts';
import { type ChangeWord, changeWords } from './object-changes.ts';

interface SourceFiles {
  readonly files: readonly string[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

/** The source of the objects. `both`: files over what an API server has. */
export type Source =
  | { readonly from: 'server'; readonly kubeconfig: string }
  | ({ readonly from: 'files' } & SourceFiles)
  | ({ readonly from: 'both'; readonly kubeconfig: string } & SourceFiles);

const outputs = ['text', 'json', 'markdown'] as const;
type Output = (typeof outputs)[number];

export interface PlanOptions {
  readonly source: Source;
  /** The name of a reconciler with a plan. */
  readonly reconciler: string;
  /** The object. If absent, all objects in the files, or all that a change of the files enqueues. */
  readonly object?: Name;
  readonly callHooks: boolean;
  readonly output: Output;
  /** The changes that cause the exit code 4. */
  readonly failOn: readonly ChangeWord[];
}

interface PlanContext {
  readonly reconcilers: readonly string[];
  /** The cluster-scoped reconcilers among them. Default: none. */
  readonly clusterScoped?: readonly string[];
  /** The path of the kubeconfig that a local run with the embedded API server writes. */
  readonly embeddedKubeconfig: string;
  readonly exists: (file: string) => boolean;
}

const usage =
  'capi-serverless plan [--kubeconfig FILE] [--files FILE…] RECONCILER NAMESPACE/NAME, or RECONCILER --files FILE…';

export function toPlanHelp(reconcilers: readonly string[]): string {
  return `Usage: ${usage}

Prints what the reconciler would do to an object now, and why: its actions in order, the changes of the status, the
events, and when it would look again. It writes nothing: the objects are read, the reconciler's own code decides, and
its writes are imagined. What an API server would make of an apply is asked of it by dry runs, which change nothing.

Reconcilers: ${reconcilers.join(', ')}
Objects without namespace, such as ExtensionConfigs, are written as NAME. RECONCILER --files FILE… plans every object of
the files that it would reconcile: a class and its Clusters as a pull request has them, say.

  --kubeconfig FILE     the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --files FILE…         read the objects from manifests instead, as "kubectl get -o yaml" prints them: files, folders, or -
                        for the standard input. No server is asked, and workload clusters are assumed to answer as their
                        Clusters last reported; definitions of providers' kinds may be among them, and kinds without one
                        are assumed to allow everything. With --kubeconfig, the files are put over what the server has,
                        as "kubectl apply" would leave it, and RECONCILER alone plans every object that they concern
  -n, --namespace NAME  the namespace of objects in the files that name none (default: default)
  --call-hooks          call runtime hooks; without it the plan lists the hooks that a reconcile would call
  -o, --output FORMAT   text (default), json, or markdown: a comment for a pull request
  --json                short for --output json
  --fail-on CHANGES     exit code 4 if the plan contains one of these changes: ${changeWords.join(', ')} (several with commas);
                        replace: Machines are replaced by a rollout
  --help                this text

Exit codes: 0 planned, 1 the reconcile would fail, 2 could not plan, 3 an error of this program, 4 a change of --fail-on.
`;
}

export const planOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  files: { type: 'string', multiple: true, values: 'file' },
  namespace: { type: 'string', short: 'n' },
  'call-hooks': { type: 'boolean' },
  output: { type: 'string', short: 'o', values: outputs },
  json: { type: 'boolean' },
  'fail-on': { type: 'string', multiple: true, values: changeWords },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parsePlanOptions(args: readonly string[], context: PlanContext): PlanOptions | 'help' {
  const { values, positionals, tokens } = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  const { subject, files, mayBeAll } = split(tokens, values.files, positionals);
  const [reconciler, object, ...rest] = subject;
  if (reconciler === undefined || (object === undefined && !mayBeAll) || rest.length > 0) {
    throw new UsageError(`Expected a reconciler and an object: ${usage}; --help lists the options`);
  }
  if (!context.reconcilers.includes(reconciler)) {
    throw new UsageError(`There is no reconciler "${reconciler}" to plan; known are ${context.reconcilers.join(', ')}`);
  }
  return {
    reconciler,
    ...(object === undefined ? {} : { object: parseObjectName(object, scopeOf(reconciler, context)) }),
    source: toSource({ ...values, files }, context),
    callHooks: values['call-hooks'] ?? false,
    output: toOutput(values),
    failOn: toChangeWords(values['fail-on'] ?? []),
  };
}

function toOutput({ output, json = false }: { readonly output?: string; readonly json?: boolean }): Output {
  if (json && output !== undefined && output !== 'json') {
    throw new UsageError(`--json cannot go with --output ${output}`);
  }
  const found = outputs.find(each => each === (json ? 'json' : (output ?? 'text')));
  if (found === undefined) {
    throw new UsageError(`There is no format "${output}"; known are ${outputs.join(', ')}`);
  }
  return found;
}

function toChangeWords(texts: readonly string[]): readonly ChangeWord[] {
  return texts
    .flatMap(text => text.split(','))
    .map(text => {
      const word = changeWords.find(each => each === text.trim());
      if (word === undefined) {
        throw new UsageError(`There is no change "${text}" for --fail-on; known are ${changeWords.join(', ')}`);
      }
      return word;
    });
}

function scopeOf(reconciler: string, { clusterScoped = [] }: PlanContext): Kind['scope'] {
  return clusterScoped.includes(reconciler) ? 'Cluster' : 'Namespaced';
}

/**
 * A shell expands `--files *.yaml` to several words. Therefore the object to plan must be before the option, or at the
 * end.
 */
function split(
  tokens: readonly { readonly kind: string; readonly name?: string }[],
  files: readonly string[] | undefined,
  positionals: readonly string[],
): { readonly subject: readonly string[]; readonly files: readonly string[]; readonly mayBeAll: boolean } {
  if (files === undefined) {
    return { subject: positionals, files: [], mayBeAll: false };
  }
  const option = tokens.findIndex(token => token.kind === 'option' && token.name === 'files');
  const before = tokens.slice(0, option).filter(({ kind }) => kind === 'positional').length;
  const at = before === 0 ? positionals.length - 2 : before;
  const [first, last] = [positionals.slice(0, at), positionals.slice(at)];
  return before === 0
    ? { subject: last, files: [...files, ...first], mayBeAll: false }
    : { subject: first, files: [...files, ...last], mayBeAll: true };
}

interface SourceValues {
  readonly kubeconfig?: string;
  readonly files: readonly string[];
  readonly namespace?: string;
}

function toSource({ kubeconfig, files, namespace }: SourceValues, context: PlanContext): Source {
  const { embeddedKubeconfig, exists } = context;
  if (kubeconfig === '' || files.includes('')) {
    throw new UsageError(`--${kubeconfig === '' ? 'kubeconfig' : 'files'} names no file`);
  }
  if (namespace !== undefined && (files.length === 0 || !isObjectName({ namespace, name: 'name' }))) {
    const problem = files.length === 0 ? 'is for the objects of --files' : 'names no namespace';
    throw new UsageError(`-n "${namespace}" ${problem}`);
  }
  if (files.length > 0) {
    const source = { files, namespace: namespace ?? defaultNamespace };
    return kubeconfig === undefined ? { from: 'files', ...source } : { from: 'both', kubeconfig, ...source };
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
    tokens: true,
    options: planOptions,
  });
}
