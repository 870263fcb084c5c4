// The arguments of `capi-serverless install`.
import { optionalFolders } from '../../infra/kubernetes/installed-folders.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { parseFunctionUrl } from '../webhooks/options.ts';

/** The words after --with. */
const parts = Object.keys(optionalFolders);

export const installHelp = `Usage: capi-serverless install --kubeconfig FILE [options]
       capi-serverless install --print [options]

Installs what the functions need in a management cluster without Cluster API's manager: the definitions of Cluster API's
kinds, the roles of the functions, and an entry in the inventory of clusterctl. With this entry, "clusterctl init"
installs providers beside the functions, and no core provider. Each object is written by server-side apply. A second run
changes nothing.

It writes nothing if Cluster API's manager is installed, or if a definition has a version that nothing would convert.
The functions are deployed by "cdk deploy".

  --kubeconfig FILE     the management cluster
  --conversion-url URL  also serve the older versions of the definitions, which some providers need. The https address
                        of the conversion function with its token: the output ConversionUrl, and the first line of
                        the secret in the output ConversionTokenSecret. A later run without it keeps the address
  --ca FILE             certificates in PEM that the API server trusts for this address (those of its system)
  --with PART           also apply this part of infra/kubernetes. Can be repeated. The parts are
                        ${parts.join(', ')}
  --without-rbac        leave out the roles of the functions, if those of one deployment (dist/rbac) are applied
  --dry-run             only print what would be changed
  --print               print the manifests, without a management cluster
  --json                prints JSON
  --help                this text

Exit codes: 0 done, 1 refused or not written, 2 could not start, 3 an error of this program.
`;

export interface InstallCommandOptions {
  /** `undefined`: the manifests are printed. */
  readonly kubeconfig: string | undefined;
  /** Without a slash at its end. */
  readonly conversionUrl: string | undefined;
  readonly caFile: string | undefined;
  /** Those of the chosen parts. */
  readonly folders: readonly string[];
  readonly roles: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export const installOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  'conversion-url': { type: 'string' },
  ca: { type: 'string', values: 'file' },
  with: { type: 'string', multiple: true, values: parts },
  'without-rbac': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  print: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseInstallOptions(args: readonly string[]): InstallCommandOptions | 'help' {
  const { values } = parseArguments({ args: [...args], options: installOptions });
  if (values.help === true) {
    return 'help';
  }
  const { kubeconfig = '', print = false, ca: caFile, with: chosen = [], json = false } = values;
  if ((kubeconfig === '') !== print) {
    throw new UsageError(
      'Which management cluster? Pass --kubeconfig FILE, or --print alone; --help lists the options',
    );
  }
  if (print && values['dry-run'] === true) {
    throw new UsageError('--print writes nothing, so --dry-run says nothing more; leave it out');
  }
  const unknown = chosen.find(part => !parts.includes(part));
  if (unknown !== undefined) {
    throw new UsageError(`--with "${unknown}" is none of ${parts.join(', ')}`);
  }
  const conversionUrl = parseFunctionUrl('conversion-url', values['conversion-url']);
  if (caFile !== undefined && conversionUrl === undefined) {
    throw new UsageError('--ca has no use without --conversion-url');
  }
  return {
    kubeconfig: print ? undefined : kubeconfig,
    conversionUrl,
    caFile,
    folders: chosen.flatMap(part => optionalFolders[part] ?? []),
    roles: values['without-rbac'] !== true,
    dryRun: values['dry-run'] ?? false,
    json,
  };
}
