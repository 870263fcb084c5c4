// Creates the kubeconfig with which deployed functions connect to a non-EKS API server. It contains a token of the
// service account in infra/kubernetes/account.
import { readFileSync } from 'node:fs';
import { type Name, toDisplayName } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { type Cluster, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { functionsAccount } from '../../infra/kubernetes/identities.ts';
import { UsageError } from '../../local/usage-error.ts';
import { whyUnroutable } from '../../shared/kubernetes/rest/routable.ts';
import { type OptionDefinitions, parseArguments, parseObjectName } from '../arguments.ts';

export const functionsKubeconfigHelp = `Usage: capi-serverless kubeconfig --kubeconfig FILE [options]

Prints a kubeconfig for the functions of a deployment: the service account ${functionsAccount.namespace}/${functionsAccount.name}, which
"kubectl apply -k infra/kubernetes/account" makes, with a new token. It is a secret: hand it to Secrets Manager, not to a file.

  --kubeconfig FILE  who asks for the token, at which API server
  --days N           how long the token is to be valid, 1 to 3650 (90); the API server may shorten it. More than 90 days
                     print a warning: a token that leaked is valid until then, or until the account is replaced
  --account NS/NAME  another service account, such as a provider's (${functionsAccount.namespace}/${functionsAccount.name})
  --server URL       address of the API server as the functions reach it (that of FILE)
  --json             accepted for scripts: a kubeconfig is printed as JSON in any case, which kubectl reads too
  --help             this text

Exit codes: 0 printed, 2 could not start, 3 an error of this program.
`;

interface FunctionsKubeconfigOptions {
  readonly kubeconfig: string;
  readonly days: number;
  readonly server: string | undefined;
  readonly account: Name;
}

const mostDays = 3650;
/** A longer validity prints a warning. It is the default as well. */
const advisedDays = 90;

export const functionsKubeconfigOptions = {
  kubeconfig: { type: 'string', values: 'file' },
  days: { type: 'string', default: String(advisedDays) },
  server: { type: 'string' },
  account: { type: 'string', default: toDisplayName(functionsAccount) },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseFunctionsKubeconfigOptions(args: readonly string[]): FunctionsKubeconfigOptions | 'help' {
  const { values } = parseArguments({
    args: [...args],
    options: functionsKubeconfigOptions,
  });
  if (values.help === true) {
    return 'help';
  }
  const { kubeconfig = '', server } = values;
  if (kubeconfig === '') {
    throw new UsageError('Which API server? Pass --kubeconfig FILE; --help lists the options');
  }
  const days = /^\d{1,4}$/.test(values.days) ? Number(values.days) : 0;
  if (days < 1 || days > mostDays) {
    throw new UsageError(`--days "${values.days}" is not a whole number from 1 to ${mostDays}`);
  }
  if (server !== undefined && URL.parse(server)?.protocol !== 'https:') {
    throw new UsageError(`--server "${server}" is not the https address of an API server`);
  }
  return { kubeconfig, days, server, account: parseObjectName(values.account) };
}

interface FunctionsKubeconfig {
  /** The kubeconfig in JSON, which is also valid YAML. */
  readonly text: string;
  /** The text for the user. It contains no secrets. */
  readonly notes: readonly string[];
}

/** Throws UsageError. */
export async function makeFunctionsKubeconfig(options: FunctionsKubeconfigOptions): Promise<FunctionsKubeconfig> {
  const kubeconfig = new KubeConfig();
  try {
    kubeconfig.loadFromFile(options.kubeconfig);
  } catch (cause) {
    throw new UsageError(`Kubeconfig ${options.kubeconfig} cannot be read: ${toError(cause).message}`, { cause });
  }
  const cluster = kubeconfig.getCurrentCluster();
  if (cluster === null) {
    throw new UsageError(`Kubeconfig ${options.kubeconfig}: its current context names no cluster`);
  }
  const { token, expiresAt } = await requestToken(kubeconfig, options);
  const server = options.server ?? cluster.server;
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  const isHere = host === 'localhost' || whyUnroutable(host) !== undefined;
  return {
    text: toText({ server, ca: readAuthority(cluster), token }),
    notes: [
      `${toDisplayName(options.account)} at ${server}, valid until ${expiresAt}; run this command again before`,
      ...toLengthNotes(options.days),
      ...(isHere
        ? [`${server} is an address of this machine: functions need --server URL with one that they reach`]
        : []),
    ],
  };
}

function toLengthNotes(days: number): readonly string[] {
  return days > advisedDays
    ? [
        `Warning: a token for ${days} days. If it leaks, it is valid until then; ${advisedDays} days or less are advised, and renewal`,
      ]
    : [];
}

function readAuthority({ caData, caFile }: Cluster): string {
  return caData ?? (caFile === undefined ? '' : readFileSync(caFile).toString('base64'));
}

async function requestToken(kubeconfig: KubeConfig, { days, account }: FunctionsKubeconfigOptions) {
  const { namespace, name } = account;
  const isOurs = namespace === functionsAccount.namespace && name === functionsAccount.name;
  const core = kubeconfig.makeApiClient(CoreV1Api);
  const body = { spec: { audiences: [], expirationSeconds: days * 86_400 } };
  try {
    const { status } = await core.createNamespacedServiceAccountToken({ namespace, name, body });
    if (status?.token === undefined || status.expirationTimestamp === undefined) {
      throw new Error('the answer holds no token');
    }
    return { token: status.token, expiresAt: new Date(status.expirationTimestamp).toISOString() };
  } catch (cause) {
    const isMissing = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 404;
    // The message of the client is dropped, because it quotes headers and bodies.
    const problem = isMissing
      ? `there is no such account; ${isOurs ? 'run kubectl apply -k infra/kubernetes/account' : "apply the provider's roles, which its synthesis wrote,"} first`
      : typeof cause === 'object' && cause !== null && 'code' in cause
        ? `answered with ${String(cause.code)}`
        : toError(cause).message;
    throw new UsageError(`Asking for a token of service account ${namespace}/${name} failed: ${problem}`, { cause });
  }
}

function toText({
  server,
  ca,
  token,
}: {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}): string {
  const name = 'management-cluster';
  const { name: user } = functionsAccount;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...(ca === '' ? {} : { 'certificate-authority-data': ca }) } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  };
  return `${JSON.stringify(config)}\n`;
}
