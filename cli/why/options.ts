// The command line of `capi-serverless why`.
import type { Name } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../../functions/declarations.ts';
import { faces } from '../../functions/faces.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import type { WhyObject } from './why.ts';

export type WhyOptions = (WhyObject | { readonly isFleet: true }) & WhySource;

interface WhySource {
  /** The kubeconfig. If absent, the kubeconfig that the local run writes. */
  readonly kubeconfig: string | undefined;
  readonly json: boolean;
}

export function toWhyHelp(): string {
  const { declaration } = objectKindOf(undefined);
  return `Usage: capi-serverless why [--kubeconfig FILE] [--json]
       capi-serverless why NAMESPACE/NAME [--kubeconfig FILE] [--json]
       capi-serverless why RECONCILER [NAMESPACE/]NAME [--kubeconfig FILE] [--json]

Prints what an object is made of, what it waits for, and what to do about it. Without a reconciler, the object is a ${declaration.primary.kind}.
Without a name, lists all objects that wait, most urgent first, with one line of cause each.

Reconcilers: ${declarations.map(({ name }) => name).join(', ')}
Objects without namespace, such as ExtensionConfigs, are written as NAME.

  --kubeconfig FILE  the API server to read from (default: that of the local run on this machine, dist/kubeconfig)
  --json             one JSON document instead of text, with all parts of the object
  --help             this text

Exit codes: 0 it waits for nothing, 1 it waits, 2 it cannot be read, 3 an error of this program.
`;
}

export const whyOptions = {
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
  const source = { kubeconfig: values.kubeconfig, json: values.json ?? false };
  if (positionals.length === 0) {
    return { isFleet: true, ...source };
  }
  const isNamed = declarations.some(({ name }) => name === positionals[0]);
  const [reconciler, names] = isNamed ? [positionals[0], positionals.slice(1)] : [undefined, positionals];
  const of = objectKindOf(reconciler);
  return {
    ...of,
    name: toName(names, of.declaration, reconciler),
    ...source,
  };
}

/** `undefined` selects the reconciler that explains objects by default. */
function objectKindOf(reconciler: string | undefined): Pick<WhyObject, 'face' | 'declaration'> {
  const face = faces.find(({ name, isDefault }) => (reconciler === undefined ? isDefault : name === reconciler));
  const declaration = declarations.find(({ name }) => name === face?.name);
  if (face === undefined || declaration === undefined) {
    throw new Error(`There is no face of reconciler ${reconciler ?? 'by default'}`);
  }
  return { face, declaration };
}

const forms = {
  Cluster: { form: 'NAME', pattern: /^(?<name>[^/]+)$/ },
  Namespaced: { form: 'NAMESPACE/NAME', pattern: /^(?<namespace>[^/]+)\/(?<name>[^/]+)$/ },
} as const;

function toName([text = '', ...others]: readonly string[], { primary }: Declaration, reconciler = ''): Name {
  const { form, pattern } = forms[primary.scope];
  const { namespace = '', name } = pattern.exec(text)?.groups ?? {};
  if (name === undefined || others.length > 0) {
    throw new UsageError(`Name one ${primary.kind} as ${`${reconciler} ${form}`.trimStart()}`);
  }
  return { namespace, name };
}
