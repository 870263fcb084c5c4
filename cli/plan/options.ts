// The command line of `capi-serverless plan`.

import type { Kind, Name } from '@capi-serverless/apimachinery';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments, parseObjectName } from '../arguments.ts';

/** The source of the objects. */
export type Source =
  | { readonly from: 'server'; readonly kubeconfig: string }
  | { readonly from: 'files'; readonly files: readonly string[] };

export interface PlanOptions {
  readonly source: Source;
  /** The name of a reconciler with a plan. */
  readonly reconciler: string;
  /** The object. If absent, all objects in the files. */
  readonly object?: Name;
  readonly callHooks: boolean;
  readonly json: boolean;
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
  'capi-serverless plan [--kubeconfig FILE | --files FILE…] RECONCILER NAMESPACE/NAME, or RECONCILER --files FILE…';

export function toPlanHelp(reconcilers: readonly string[]): string {
  return `Usage: ${usage}

Prints what the reconciler would do to an object now, and why: its actions in order, the changes of the status, the
events, and when it would look again. It writes nothing: the objects are read, the reconciler's own code decides, and
its writes are imagined. What an API server would make of an apply is asked of it by dry runs, which change nothing.

Reconcilers: ${reconcilers.join(', ')}
Objects without namespace, such as ExtensionConfigs, are written as NAME. RECONCILER --files FILE… plans every object of
the files that it would reconcile: a class and its Clusters as a pull request has them, say.

  --kubeconfig FILE  the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --files FILE…      read the objects from manifests instead, as "kubectl get -o yaml" prints them; no server is asked,
                     and workload clusters are assumed to answer as their Clusters last reported; definitions of
                     providers' kinds may be among them, and kinds without one are assumed to allow everything
  --call-hooks       call runtime hooks; without it the plan lists the hooks that a reconcile would call
  --json             one JSON document instead of text
  --help             this text

Exit codes: 0 planned, 1 the reconcile would fail, 2 could not plan, 3 an error of this program.
`;
}

export const planOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  files: { type: 'string', multiple: true, values: 'file' },
  'call-hooks': { type: 'boolean' },
  json: { type: 'boolean' },
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
    source: toSource(values.kubeconfig, files, context),
    callHooks: values['call-hooks'] ?? false,
    json: values.json ?? false,
  };
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

function toSource(
  kubeconfig: string | undefined,
  files: readonly string[],
  { embeddedKubeconfig, exists }: PlanContext,
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
    tokens: true,
    options: planOptions,
  });
}
