// The command line of `capi-serverless why`.
import { declarations } from '../../functions/declarations.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { explainedKinds, parseWhyObject, type WhyObject } from './operands.ts';

export type WhyOptions = (WhyObject | { readonly isFleet: true }) & WhySource;

interface WhySource {
  /** The kubeconfig. If absent, the kubeconfig that the local run writes. */
  readonly kubeconfig: string | undefined;
  readonly json: boolean;
  /** Whether to print each new answer until nothing waits. */
  readonly watch: boolean;
}

export function toWhyHelp(): string {
  return `Usage: capi-serverless why [--watch] [--kubeconfig FILE] [--json]
       capi-serverless why [NAMESPACE/]CLUSTER [options]
       capi-serverless why KIND/NAME [-n NAMESPACE] [options]
       capi-serverless why KIND|RECONCILER [NAMESPACE/]NAME [options]

Prints what an object is made of, what it waits for, and what to do about it.
Without a name, lists all objects that wait, most urgent first, with one line of cause each.

Kinds, also in the plural and by their short names, as kubectl accepts them (a word before "/" that is none is a namespace):
  ${explainedKinds()
    .map(({ declaration }) => declaration.primary.kind)
    .join(', ')}
Reconcilers: ${declarations.map(({ name }) => name).join(', ')}

  -n, --namespace NAME  the namespace of a NAME without one (default: default)
  -w, --watch           ask again and print each new answer, until nothing waits, the object is gone, or Ctrl-C
  --kubeconfig FILE     the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --json                one JSON document instead of text, with all parts of the object; with --watch one for each answer
  --help                this text

Exit codes: 0 it waits for nothing, 1 it waits, 2 it cannot be read, 3 an error of this program.
`;
}

export const whyOptions = {
  namespace: { type: 'string', short: 'n' },
  watch: { type: 'boolean', short: 'w' },
  kubeconfig: { type: 'string', values: 'file' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseWhyOptions(args: readonly string[]): WhyOptions | 'help' {
  const { values, positionals } = parseArguments({ args: [...args], allowPositionals: true, options: whyOptions });
  if (values.help === true) {
    return 'help';
  }
  if (values.kubeconfig === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  const { kubeconfig, namespace, json = false, watch = false } = values;
  const source = { kubeconfig, json, watch };
  if (positionals.length > 0) {
    return { ...parseWhyObject(positionals, namespace), ...source };
  }
  if (namespace !== undefined) {
    throw new UsageError('--namespace goes with a name; without one, why lists the objects of all namespaces');
  }
  return { isFleet: true, ...source };
}
