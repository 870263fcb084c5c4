// The command line of `capi-serverless check`.

import { type Format, formats, readFormat } from '../../local/findings/report.ts';
import { defaultNamespace } from '../../local/manifests.ts';
import { UsageError } from '../../local/usage-error.ts';
import { isObjectName } from '../../shared/workqueue/object-names.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export interface CheckOptions {
  /** The files, at least one. */
  readonly files: readonly string[];
  readonly format: Format;
  /** Whether warnings cause a failure. */
  readonly strict: boolean;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Values for `${NAME}` in the files. */
  readonly substitutes: ReadonlyMap<string, string>;
}

const usage = 'capi-serverless check [--format FORMAT] [--strict] [-n NAMESPACE] [--substitute NAME=VALUE] FILE…';

export const checkHelp = `Usage: ${usage}

Checks ClusterClasses, and what stands beside them in the files, without any API server: schemas and unknown fields, rules,
variables with their defaults and examples, patches (selectors, paths, variables, templates), references between the objects,
and Clusters by their class in the files: values of variables, versions, classes of workers, health checks, rollouts, labels.
Every finding names its place.

  FILE…                    manifests in YAML or JSON, read as kubectl reads them; directories stand for all .yaml, .yml
                           and .json files in them and below, and - for the standard input (kustomize build . | …).
                           Definitions of kinds (CRDs) among them are used to check objects of these kinds
  -n, --namespace NAME     the namespace of objects that name none (default: default)
  --substitute NAME=VALUE  a value for \${NAME} in the files; may be repeated
  --format FORMAT          text (default), json, or github: annotations of a pull request
  --json                   short for --format json
  --strict                 warnings count as errors
  --help                   this text

Exit codes: 0 nothing to complain about, 1 findings, 2 could not check, 3 an error of this program.
`;

export const checkOptions = {
  format: { type: 'string', default: 'text', values: formats },
  json: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  namespace: { type: 'string', short: 'n', default: defaultNamespace },
  substitute: { type: 'string', multiple: true },
  help: { type: 'boolean', default: false },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseCheckOptions(args: readonly string[]): CheckOptions | 'help' {
  const { values, positionals: files } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: checkOptions,
  });
  if (values.help) {
    return 'help';
  }
  const format = readFormat(values);
  if (files.length === 0 || files.includes('')) {
    throw new UsageError(`Name the files to check: ${usage}; --help lists the options`);
  }
  const { strict, namespace, substitute = [] } = values;
  if (!isObjectName({ namespace, name: 'name' })) {
    throw new UsageError(`-n "${namespace}" names no namespace`);
  }
  return { files, format, strict, namespace, substitutes: new Map(substitute.map(parseSubstitute)) };
}

function parseSubstitute(text: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--substitute "${text}" is not NAME=VALUE`);
  }
  return [name, value];
}
