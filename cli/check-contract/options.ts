// The command line of `capi-serverless check-contract`.

import { type Format, formats, readFormat } from '../../local/findings/report.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export interface ContractOptions {
  /** The files. May be empty if there is a kubeconfig. */
  readonly files: readonly string[];
  /** The kubeconfig of the server whose definitions and objects are also checked. */
  readonly kubeconfig: string | undefined;
  readonly format: Format;
  /** Whether warnings cause a failure. */
  readonly strict: boolean;
}

const usage = 'capi-serverless check-contract [--kubeconfig FILE] [--format FORMAT] [--strict] [FILE…]';

export const contractHelp = `Usage: ${usage}

Checks the definitions (CRDs) of a provider's kinds by the provider contract of Cluster API, v1beta1 (with it v1alpha3) and
v1beta2: names, scope, list kinds, contract labels, served versions, status subresource, the fields of each role with their
types, templates and what is made from them, and the rights of Cluster API's manager on kinds of other groups. Objects of
these kinds are checked too: fields, conditions, labels, endpoint, failure domains. Every finding names its place and the
remedy. The role follows from the kind's name: …Cluster, …Machine, …MachinePool, …ControlPlane, …Config, each with …Template.

  FILE…              manifests in YAML or JSON: CRDs, and beside them ClusterRoles and objects; directories stand for all
                     .yaml, .yml and .json files in them
  --kubeconfig FILE  an API server: what is installed there is checked as well, and its objects; of all kinds with a contract
                     label, or of those that the files define. It is only read
  --format FORMAT    text (default), json, or github: annotations of a pull request
  --json             short for --format json
  --strict           warnings count as errors
  --help             this text

Exit codes: 0 nothing to complain about, 1 findings, 2 could not check, 3 an error of this program.
`;

export const contractOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  format: { type: 'string', default: 'text', values: formats },
  json: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseContractOptions(args: readonly string[]): ContractOptions | 'help' {
  const { values, positionals: files } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: contractOptions,
  });
  if (values.help) {
    return 'help';
  }
  const format = readFormat(values);
  if (values.kubeconfig === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  if ((files.length === 0 && values.kubeconfig === undefined) || files.includes('')) {
    throw new UsageError(`Name the files to check, or --kubeconfig: ${usage}; --help lists the options`);
  }
  return { files, kubeconfig: values.kubeconfig, format, strict: values.strict };
}
