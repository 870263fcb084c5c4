// Parses the environment of every function. The table in docs/settings.md is generated from `settings`.

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import { defaultFeatureGates, type FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import * as z from 'zod/mini';
import { type MetricLevel, metricLevels } from '../telemetry/published-metrics.ts';
import {
  commaList,
  featureGates,
  namespace,
  optionalText,
  probeAddress,
  queueUrls,
  secretArn,
} from './variable-syntax.ts';

interface Setting {
  readonly name: string;
  readonly meaning: string;
  /** Used if the variable is unset or empty. "" if there is no default. */
  readonly default: string;
}

/** The provider groups of Cluster API's conventions: the default of CAPI_PROVIDER_GROUPS and of the audit policy. */
export const defaultProviderGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
];

/** One row per environment variable, in the order of docs/settings.md. */
export const settings: readonly Setting[] = [
  {
    name: 'CAPI_QUEUE_URLS',
    meaning:
      'The common beginning of the queue URLs, and in braces the names of the queues that this function may use: `https://sqs.…/capi-prod-{delay,expand}`',
    default: '',
  },
  {
    name: 'CAPI_KUBECONFIG',
    meaning:
      'Path of a kubeconfig (JSON or YAML); without it and the next four, the service account of the pod is used',
    default: '',
  },
  {
    name: 'CAPI_KUBECONFIG_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds a kubeconfig',
    default: '',
  },
  { name: 'CAPI_EKS_CLUSTER', meaning: 'Name of the EKS cluster to which this function is a role of AWS', default: '' },
  { name: 'CAPI_EKS_ENDPOINT', meaning: 'Address of its API server', default: '' },
  {
    name: 'CAPI_EKS_CERTIFICATE_AUTHORITY_FILE',
    meaning: 'Path of a file with its certificate authority (PEM)',
    default: '',
  },
  {
    name: 'CAPI_MANAGEMENT_CLUSTER',
    meaning: 'uid of the kube-system namespace; read from the API server once when not set',
    default: '',
  },
  {
    name: 'CAPI_WATCH_FILTER',
    meaning: 'Only objects whose label cluster.x-k8s.io/watch-filter has this value are reconciled',
    default: '',
  },
  {
    name: 'CAPI_RESYNC_PERIOD_SECONDS',
    meaning: 'How often the resync looks for changes that no event source reported',
    default: '600',
  },
  {
    name: 'CAPI_FULL_RESYNC_PERIOD_SECONDS',
    meaning: 'Every object is reconciled once in this time, even if nothing changes; at least the resync period',
    default: '86400',
  },
  {
    name: 'CAPI_STATE_NAMESPACE',
    meaning: 'Namespace of the ConfigMaps in which the resync and the windowed forwarder keep what they compare with',
    default: 'kube-system',
  },
  {
    name: 'CAPI_PROBE_ADDRESS',
    meaning:
      'host:port on which the watch-forwarder answers /healthz, /readyz and /metrics; in a pod set :8080, for all IPv4 and IPv6 addresses',
    default: '127.0.0.1:8080',
  },
  {
    name: 'CAPI_PROVIDER_GROUPS',
    meaning: 'API groups, separated by commas, whose kinds Clusters may name; for the audit webhook',
    default: defaultProviderGroups.join(','),
  },
  {
    name: 'CAPI_AUDIT_TOKENS_FILE',
    meaning:
      'Path of a file with the bearer token of the audit webhook; with two, one per line, while they are exchanged',
    default: '',
  },
  {
    name: 'CAPI_AUDIT_TOKENS',
    meaning: 'The same tokens, separated by commas, where there is no file to read',
    default: '',
  },
  {
    name: 'CAPI_AUDIT_TOKENS_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds them as the file does',
    default: '',
  },
  {
    name: 'CAPI_CONCURRENCY',
    meaning: 'Invocations of one function at a time (2 to 1000) of a local run; a deployment has a field of its own',
    // One process uses one CPU core. With more keys per batch, batches take so long that their writes enqueue their
    // objects again.
    default: '4',
  },
  {
    name: 'CAPI_FEATURE_GATES',
    meaning: 'As `--feature-gates` of the upstream manager, such as `ClusterTopology=true,RuntimeSDK=true`',
    default: '',
  },
  {
    name: 'CAPI_REMOTE_PROBE',
    meaning:
      'on-reconcile: workload clusters are probed whenever they are reconciled; off: never, no RemoteConnectionProbe',
    default: 'on-reconcile',
  },
  {
    name: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
    meaning: 'How long probes may fail before a connected Cluster reports it (1 to 299)',
    default: '50',
  },
  {
    name: 'CAPI_REMOTE_ADDRESSES',
    meaning:
      'routable: no workload cluster is probed and no extension server called at a loopback, link-local or cloud metadata address; any: wherever its kubeconfig or ExtensionConfig says. A local run takes any',
    default: 'routable',
  },
  {
    name: 'CAPI_CLASS_NAMESPACES',
    meaning:
      'any: a Cluster may use the ClusterClasses of all namespaces; same: those of its own namespace alone; or names of namespaces, separated by commas, whose ClusterClasses all Clusters may use beside their own',
    default: 'any',
  },
  {
    name: 'CAPI_EXTENSION_SERVICES',
    meaning:
      'refuse: ExtensionConfigs must name a URL; dns: also a Service, where `<name>.<namespace>.svc` leads to it',
    default: 'refuse',
  },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERT_FILE',
    meaning: 'Path of the certificate (PEM) with which functions authenticate to extension servers',
    default: '',
  },
  { name: 'CAPI_EXTENSION_CLIENT_KEY_FILE', meaning: 'Path of its key', default: '' },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds both instead, one after the other',
    default: '',
  },
  { name: 'CAPI_LOG_LEVEL', meaning: 'debug, info or error', default: 'info' },
  {
    name: 'CAPI_METRICS',
    meaning: 'Log lines that CloudWatch makes metrics of: off, few (what rarely happens) or all (docs/runbook.md)',
    default: 'off',
  },
  { name: 'CAPI_DEPLOYMENT', meaning: 'Dimension `deployment` of those metrics', default: 'capi-serverless' },
  {
    name: 'CAPI_TRACING',
    meaning: 'off, or xray: a span for each reconcile, sent to the daemon at `AWS_XRAY_DAEMON_ADDRESS`',
    default: 'off',
  },
];

/** Upstream's default grace period before Node conditions become Unknown after a connection failure. */
const remoteConditionsGracePeriodSeconds = 300;

/** 30 days. */
const longestFullPeriodSeconds = 2_592_000;

/** Variables that have a default in `settings` are required in this schema. */
const environmentSchema = z.object({
  CAPI_QUEUE_URLS: z._default(queueUrls, {}),
  CAPI_KUBECONFIG: optionalText,
  CAPI_KUBECONFIG_SECRET: z.optional(secretArn),
  CAPI_EKS_CLUSTER: optionalText,
  CAPI_EKS_ENDPOINT: z.optional(z.string().check(z.regex(/^https:\/\/[^\s/?#@]+$/, 'must be https://host'))),
  CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: optionalText,
  CAPI_MANAGEMENT_CLUSTER: optionalText,
  CAPI_WATCH_FILTER: z._default(z.string(), ''),
  CAPI_RESYNC_PERIOD_SECONDS: z.coerce.number().check(z.int(), z.gte(60), z.lte(86_400)),
  CAPI_FULL_RESYNC_PERIOD_SECONDS: z.coerce.number().check(z.int(), z.gte(60), z.lte(longestFullPeriodSeconds)),
  CAPI_STATE_NAMESPACE: namespace,
  CAPI_PROBE_ADDRESS: probeAddress,
  CAPI_PROVIDER_GROUPS: commaList,
  CAPI_AUDIT_TOKENS_FILE: optionalText,
  CAPI_AUDIT_TOKENS: z.optional(commaList),
  CAPI_AUDIT_TOKENS_SECRET: z.optional(secretArn),
  CAPI_CONCURRENCY: z.coerce.number().check(z.int(), z.gte(2), z.lte(1000)),
  CAPI_FEATURE_GATES: z._default(featureGates, defaultFeatureGates),
  CAPI_REMOTE_PROBE: z.enum(['on-reconcile', 'off']),
  CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: z.coerce
    .number()
    .check(z.int(), z.gte(1), z.lte(remoteConditionsGracePeriodSeconds - 1)),
  CAPI_REMOTE_ADDRESSES: z.enum(['routable', 'any']),
  CAPI_CLASS_NAMESPACES: z.pipe(commaList, z.array(namespace)),
  CAPI_EXTENSION_SERVICES: z.enum(['refuse', 'dns']),
  CAPI_EXTENSION_CLIENT_CERT_FILE: optionalText,
  CAPI_EXTENSION_CLIENT_KEY_FILE: optionalText,
  CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: z.optional(secretArn),
  CAPI_LOG_LEVEL: z.enum(['debug', 'info', 'error']),
  CAPI_METRICS: z.enum(metricLevels),
  CAPI_DEPLOYMENT: z.string(),
  CAPI_TRACING: z.enum(['off', 'xray']),
  AWS_XRAY_DAEMON_ADDRESS: optionalText,
});

const defaults = settings.map(setting => [setting.name, setting.default] as const);

export interface Config {
  readonly queueUrls: Readonly<Record<string, string>>;
  readonly kubeconfigPath: string | undefined;
  readonly kubeconfigSecret: string | undefined;
  readonly eks:
    | { readonly cluster: string; readonly endpoint: string; readonly certificateAuthorityFile: string }
    | undefined;
  readonly managementCluster: string | undefined;
  readonly watchFilter: string;
  readonly resyncPeriodSeconds: number;
  /** At least `resyncPeriodSeconds`. */
  readonly fullResyncPeriodSeconds: number;
  readonly stateNamespace: string;
  /** Without a host: all addresses of the machine. */
  readonly probeAddress: { readonly host: string | undefined; readonly port: number };
  readonly providerGroups: readonly string[];
  /** This value is not validated here. The code that uses it reports errors. */
  readonly auditTokens: {
    readonly file: string | undefined;
    readonly secret: string | undefined;
    readonly tokens: readonly string[] | undefined;
  };
  readonly concurrency: number;
  readonly featureGates: FeatureGates;
  readonly remoteProbe: 'on-reconcile' | 'off';
  readonly remoteConnectionGracePeriodSeconds: number;
  readonly remoteAddresses: 'routable' | 'any';
  /**
   * The namespaces whose ClusterClasses all Clusters may use. Each Cluster may also use the ClusterClasses of its own
   * namespace.
   */
  readonly classNamespaces: 'any' | readonly string[];
  readonly extensions: ExtensionSettings;
  readonly logLevel: 'debug' | 'info' | 'error';
  readonly metricLevel: MetricLevel;
  readonly deployment: string;
  /** The host:port of the daemon that receives spans. If `undefined`, no spans are sent. */
  readonly tracer: string | undefined;
}

/** The settings for calls of extension servers. */
export interface ExtensionSettings {
  readonly services: 'refuse' | 'dns';
  /** 'routable': loopback, link-local and cloud metadata addresses are refused. */
  readonly addresses: 'routable' | 'any';
  /** The client certificate of the functions for extension servers. */
  readonly certificate:
    | { readonly kind: 'none' }
    | { readonly kind: 'files'; readonly certificate: string; readonly key: string }
    | { readonly kind: 'secret'; readonly arn: string };
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Validates the environment. An empty variable is treated as unset. Throws a ConfigError that names each invalid
 * variable.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const filled = [...defaults, ...Object.entries(env)].filter(([, value]) => value !== undefined && value !== '');
  const parsed = environmentSchema.safeParse(Object.fromEntries(filled));
  if (!parsed.success) {
    throw new ConfigError(`Environment is not valid: ${toSchemaProblem(parsed.error)}`);
  }
  const values = parsed.data;
  return {
    queueUrls: values.CAPI_QUEUE_URLS,
    kubeconfigPath: values.CAPI_KUBECONFIG,
    kubeconfigSecret: values.CAPI_KUBECONFIG_SECRET,
    eks: toEks(values),
    managementCluster: values.CAPI_MANAGEMENT_CLUSTER,
    watchFilter: values.CAPI_WATCH_FILTER,
    resyncPeriodSeconds: values.CAPI_RESYNC_PERIOD_SECONDS,
    fullResyncPeriodSeconds: Math.max(values.CAPI_RESYNC_PERIOD_SECONDS, values.CAPI_FULL_RESYNC_PERIOD_SECONDS),
    stateNamespace: values.CAPI_STATE_NAMESPACE,
    probeAddress: values.CAPI_PROBE_ADDRESS,
    providerGroups: values.CAPI_PROVIDER_GROUPS,
    auditTokens: {
      file: values.CAPI_AUDIT_TOKENS_FILE,
      secret: values.CAPI_AUDIT_TOKENS_SECRET,
      tokens: values.CAPI_AUDIT_TOKENS,
    },
    concurrency: values.CAPI_CONCURRENCY,
    featureGates: values.CAPI_FEATURE_GATES,
    remoteProbe: values.CAPI_REMOTE_PROBE,
    remoteConnectionGracePeriodSeconds: values.CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS,
    remoteAddresses: values.CAPI_REMOTE_ADDRESSES,
    classNamespaces: toClassNamespaces(values.CAPI_CLASS_NAMESPACES),
    extensions: {
      services: values.CAPI_EXTENSION_SERVICES,
      addresses: values.CAPI_REMOTE_ADDRESSES,
      certificate: toClientCertificate(values),
    },
    logLevel: values.CAPI_LOG_LEVEL,
    metricLevel: values.CAPI_METRICS,
    deployment: values.CAPI_DEPLOYMENT,
    tracer: values.CAPI_TRACING === 'xray' ? toTracer(values.AWS_XRAY_DAEMON_ADDRESS) : undefined,
  };
}

/**
 * Lambda sets this variable. It is validated only if tracing is enabled:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
function toTracer(address = '127.0.0.1:2000'): string {
  if (!/^[^:\s]+:\d{1,5}$/.test(address)) {
    throw new ConfigError('Environment is not valid: AWS_XRAY_DAEMON_ADDRESS: must be host:port');
  }
  return address;
}

function toClassNamespaces(names: readonly string[]): Config['classNamespaces'] {
  switch (names.join()) {
    case 'any':
      return 'any';
    case 'same':
      return [];
    default:
      return names;
  }
}

function toEks(values: z.infer<typeof environmentSchema>): Config['eks'] {
  const { CAPI_EKS_CLUSTER: cluster, CAPI_EKS_ENDPOINT: endpoint } = values;
  const certificateAuthorityFile = values.CAPI_EKS_CERTIFICATE_AUTHORITY_FILE;
  if (cluster === undefined && endpoint === undefined && certificateAuthorityFile === undefined) {
    return undefined;
  }
  if (cluster === undefined || endpoint === undefined || certificateAuthorityFile === undefined) {
    const together = 'CAPI_EKS_CLUSTER, CAPI_EKS_ENDPOINT and CAPI_EKS_CERTIFICATE_AUTHORITY_FILE';
    throw new ConfigError(`Environment is not valid: ${together} go together`);
  }
  return { cluster, endpoint, certificateAuthorityFile };
}

function toClientCertificate(values: z.infer<typeof environmentSchema>): ExtensionSettings['certificate'] {
  const { CAPI_EXTENSION_CLIENT_CERT_FILE: certificate, CAPI_EXTENSION_CLIENT_KEY_FILE: key } = values;
  const { CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: arn } = values;
  if (arn !== undefined && certificate === undefined && key === undefined) {
    return { kind: 'secret', arn };
  }
  if (arn === undefined && certificate !== undefined && key !== undefined) {
    return { kind: 'files', certificate, key };
  }
  if (arn === undefined && certificate === undefined && key === undefined) {
    return { kind: 'none' };
  }
  const files = 'CAPI_EXTENSION_CLIENT_CERT_FILE and CAPI_EXTENSION_CLIENT_KEY_FILE go together';
  throw new ConfigError(`Environment is not valid: ${files}, and not with CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET`);
}
