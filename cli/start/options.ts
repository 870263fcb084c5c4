// The command line of `capi-serverless start`.
import {
  defaultAuditFolder,
  defaultAuditPort,
  defaultTimeoutSeconds,
  type StartOptions,
} from '../../local/run-options.ts';
import { isSourceName, sourceNames } from '../../local/source-names.ts';
import { UsageError } from '../../local/usage-error.ts';
import { layouts } from '../../shared/workqueue/queue-specs.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { parseLayoutOption } from '../layout-option.ts';
import { parsePort } from '../port-option.ts';

const longestTimeoutSeconds = 86_400;

export const startOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  apply: { type: 'string', multiple: true, values: 'file' },
  provider: { type: 'string', multiple: true, values: 'folder' },
  'no-examples': { type: 'boolean' },
  'no-admission': { type: 'boolean' },
  port: { type: 'string' },
  data: { type: 'string', values: 'file' },
  'with-extension': { type: 'boolean' },
  'install-crds': { type: 'boolean' },
  'exit-when-ready': { type: 'boolean' },
  timeout: { type: 'string' },
  layout: { type: 'string', values: layouts },
  sources: { type: 'string', values: sourceNames },
  'audit-port': { type: 'string' },
  'audit-folder': { type: 'string', values: 'folder' },
  folder: { type: 'string', values: 'folder' },
  'watch-filter': { type: 'string' },
  ui: { type: 'boolean' },
  'ui-port': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

export const startHelp = `Usage: capi-serverless start [options]

Reconciles Clusters: every function runs behind its queue as it is deployed. Without --kubeconfig on an embedded API
server, with all CRDs installed and the manifests of examples/ applied; it stays up until Ctrl-C.

  --kubeconfig FILE     work on this API server instead of the embedded one
  --apply FILE          apply a manifest once everything runs, instead of the examples; may be given several times
  --provider FOLDER     run the provider of this folder beside, and apply its examples instead; may be given several times
  --no-examples         start with an empty embedded API server
  --no-admission        store Clusters, ClusterClasses and ExtensionConfigs as they are, even if Cluster API's webhooks would refuse them
  --port PORT           port of the embedded API server (default: any free one)
  --data FILE           load the objects of the embedded API server from FILE, if it exists, and save them there every few seconds
  --with-extension      run the extension server of examples/extension as well, with its Secret and its ExtensionConfig
  --install-crds        create the CRDs that are missing; existing ones are only checked
  --exit-when-ready     stop once all applied Clusters are Provisioned and all applied ExtensionConfigs Discovered
                        (if neither was applied: all Clusters)
  --timeout SECONDS     give up waiting after this long (default ${defaultTimeoutSeconds}); only with --exit-when-ready
  --layout LAYOUT       per-kind: a queue and a function for each reconciler (default); compact: one of each for all
  --sources LIST        the sources of changes: ${sourceNames.join(', ')}, separated by commas (default forwarder)
  --audit-port PORT     port of the source audit (default: ${defaultAuditPort} with --kubeconfig, otherwise any free one)
  --audit-folder DIR    keeps the token and the certificate of the source audit (default dist/audit-webhook)
  --folder FOLDER       writes the kubeconfig and the queues for other commands there; refused if another run uses it
                        (default dist, or dist/run-2 and so on while other runs use it)
  --watch-filter VALUE  only objects whose label cluster.x-k8s.io/watch-filter has this value
  --ui                  serve a page about the run on this machine: Clusters, rollouts, queues, reconciles, plans
  --ui-port PORT        port of the page (default: any free one)
  --json                progress as JSON lines, then a summary
  --help                this text

Exit codes: 0 done, 1 Clusters not ready in time, 2 could not start, 3 an error of this program.
`;

/** Parses the arguments after the script's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseStartOptions(args: readonly string[]): StartOptions | 'help' {
  const values = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  if (values.timeout !== undefined && values['exit-when-ready'] !== true) {
    throw new UsageError('--timeout needs --exit-when-ready');
  }
  const kubeconfig = parseKubeconfigOption(values);
  const apply = values.apply ?? [];
  return {
    kubeconfig,
    port: parsePort('port', values.port ?? '0'),
    data: values.data,
    admission: kubeconfig === undefined && values['no-admission'] !== true,
    examples: kubeconfig === undefined && apply.length === 0 && values['no-examples'] !== true,
    apply,
    providers: parseProviders(values.provider ?? []),
    withExtension: values['with-extension'] ?? false,
    installCrds: kubeconfig === undefined || values['install-crds'] === true,
    exitWhenReady: values['exit-when-ready'] ?? false,
    timeoutSeconds: parseTimeout(values.timeout),
    watchFilter: values['watch-filter'] ?? '',
    folder: values.folder,
    layout: parseLayoutOption(values.layout ?? 'per-kind'),
    ...parseSources(values),
    pagePort: parsePagePort(values),
    json: values.json ?? false,
  };
}

type Values = ReturnType<typeof parseValues>;

function parseKubeconfigOption(values: Values): string | undefined {
  const { kubeconfig } = values;
  for (const option of ['kubeconfig', 'data', 'audit-folder', 'folder'] as const) {
    if (values[option] === '') {
      throw new UsageError(`--${option} names no file`);
    }
  }
  const embeddedOnly = (['no-examples', 'no-admission', 'port', 'data'] as const).find(
    option => values[option] !== undefined,
  );
  if (kubeconfig !== undefined && embeddedOnly !== undefined) {
    throw new UsageError(`--${embeddedOnly} is for the embedded API server and cannot go with --kubeconfig`);
  }
  return kubeconfig;
}

/** Returns folders without duplicates. Throws UsageError. */
export function parseProviders(folders: readonly string[]): readonly string[] {
  const named = folders.map(folder => folder.replace(/(?<=.)\/+$/, ''));
  if (named.includes('')) {
    throw new UsageError('--provider names no folder');
  }
  const twice = named.find((folder, index) => named.indexOf(folder) !== index);
  if (twice !== undefined) {
    throw new UsageError(`--provider ${twice} is given twice`);
  }
  return named;
}

/** Returns `undefined` if no page is wanted. */
function parsePagePort({ ui, 'ui-port': port }: Values): number | undefined {
  if (ui !== true && port !== undefined) {
    throw new UsageError('--ui-port needs --ui');
  }
  return ui === true ? parsePort('ui-port', port ?? '0') : undefined;
}

function parseSources(values: Values): Pick<StartOptions, 'sources' | 'auditPort' | 'auditFolder'> {
  const names = (values.sources ?? 'forwarder').split(',').map(name => name.trim());
  const sources = new Set(names.filter(isSourceName));
  const unknown = names.find(name => !isSourceName(name));
  if (unknown !== undefined) {
    throw new UsageError(`--sources may name ${sourceNames.join(', ')}, got "${unknown}"`);
  }
  const auditOnly = (['audit-port', 'audit-folder'] as const).find(option => values[option] !== undefined);
  if (auditOnly !== undefined && !sources.has('audit')) {
    throw new UsageError(`--${auditOnly} needs --sources audit`);
  }
  const defaultPort = values.kubeconfig === undefined ? 0 : defaultAuditPort;
  return {
    sources: [...sources],
    auditPort: parsePort('audit-port', values['audit-port'] ?? String(defaultPort)),
    auditFolder: values['audit-folder'] ?? defaultAuditFolder,
  };
}

function parseValues(args: readonly string[]) {
  return parseArguments({ args: [...args], options: startOptions }).values;
}

function parseTimeout(text: string | undefined): number {
  if (text === undefined) {
    return defaultTimeoutSeconds;
  }
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= longestTimeoutSeconds)) {
    throw new UsageError(`--timeout must be a number of seconds, more than 0 and at most a day, got "${text}"`);
  }
  return seconds;
}
