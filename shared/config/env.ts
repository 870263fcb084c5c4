// Parses the environment of every function.

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import { defaultFeatureGates, type FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import * as z from 'zod/mini';
import { type MetricLevel, metricLevels } from './metric-levels.ts';
import { settingDefaults } from './setting-defaults.ts';
import {
  commaList,
  featureGates,
  namespace,
  optionalText,
  probeAddress,
  queueUrls,
  secretArn,
} from './variable-syntax.ts';

/** The minimum of upstream for the grace period of the conditions of Nodes. */
const shortestConditionsGracePeriodSeconds = 120;

/** 30 days. */
const longestFullPeriodSeconds = 2_592_000;

/** Variables with a default are required in this schema. */
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
  CAPI_ADMISSION_TOKENS_FILE: optionalText,
  CAPI_ADMISSION_TOKENS: z.optional(commaList),
  CAPI_ADMISSION_TOKENS_SECRET: z.optional(secretArn),
  CAPI_CONVERSION_TOKENS_FILE: optionalText,
  CAPI_CONVERSION_TOKENS: z.optional(commaList),
  CAPI_CONVERSION_TOKENS_SECRET: z.optional(secretArn),
  CAPI_CONCURRENCY: z.coerce.number().check(z.int(), z.gte(2), z.lte(1000)),
  CAPI_TIME_LIMIT_FACTOR: z.coerce.number().check(z.gte(1), z.lte(100)),
  CAPI_FEATURE_GATES: z._default(featureGates, defaultFeatureGates),
  CAPI_REMOTE_PROBE: z.enum(['on-reconcile', 'off']),
  CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: z.coerce.number().check(z.int(), z.gte(1)),
  CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: z.coerce
    .number()
    .check(z.int(), z.gte(shortestConditionsGracePeriodSeconds), z.lte(86_400)),
  CAPI_NODE_PERIOD_SECONDS: z.coerce.number().check(z.int(), z.gte(0), z.lte(86_400)),
  CAPI_WATCH_NODES: z.enum(['off', 'on']),
  CAPI_ADDITIONAL_SYNC_MACHINE_LABELS: z.optional(commaList),
  CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS: z.optional(commaList),
  CAPI_DRAIN_FINISHED_PODS: z.enum(['complete', 'wait']),
  CAPI_INLINE_DATA_SECRET: z.enum(['ignored', 'created']),
  CAPI_MACHINESET_PREFLIGHT_CHECKS: commaList,
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
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: z.optional(z.coerce.number().check(z.int(), z.gte(1))),
});

/** These values are not validated here. The code that uses them reports errors. */
export interface TokenSource {
  readonly file: string | undefined;
  readonly secret: string | undefined;
  readonly tokens: readonly string[] | undefined;
}

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
  readonly auditTokens: TokenSource;
  /** The tokens in the paths of the admission hooks. */
  readonly admissionTokens: TokenSource;
  /** The token in the path of the conversion webhook. */
  readonly conversionTokens: TokenSource;
  readonly concurrency: number;
  /** Multiplies the time limits of calls. At least 1. */
  readonly timeLimitFactor: number;
  readonly featureGates: FeatureGates;
  readonly remoteProbe: 'on-reconcile' | 'off';
  readonly remoteConnectionGracePeriodSeconds: number;
  /** Longer than `remoteConnectionGracePeriodSeconds`. */
  readonly remoteConditionsGracePeriodSeconds: number;
  /** 0: a healthy Node is not read again by a timer. */
  readonly nodePeriodSeconds: number;
  /** Whether the watch-forwarder watches the Nodes of workload clusters. */
  readonly watchesNodes: boolean;
  /** Regular expressions of keys that are copied from Machines to Nodes. They are not validated here. */
  readonly machineKeys: { readonly labels: readonly string[]; readonly annotations: readonly string[] };
  readonly waitsForFinishedPods: boolean;
  readonly countsInlineDataSecret: boolean;
  /** Names of preflight checks. They are not validated here. */
  readonly machineSetPreflightChecks: readonly string[];
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
  /** The memory of the function. If `undefined`, the process is no Lambda function. */
  readonly memoryMiB: number | undefined;
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
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const parsed = environmentSchema.safeParse({ ...settingDefaults, ...Object.fromEntries(given) });
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
    auditTokens: toTokenSource(values, 'CAPI_AUDIT_TOKENS'),
    admissionTokens: toTokenSource(values, 'CAPI_ADMISSION_TOKENS'),
    conversionTokens: toTokenSource(values, 'CAPI_CONVERSION_TOKENS'),
    concurrency: values.CAPI_CONCURRENCY,
    timeLimitFactor: values.CAPI_TIME_LIMIT_FACTOR,
    featureGates: values.CAPI_FEATURE_GATES,
    remoteProbe: values.CAPI_REMOTE_PROBE,
    ...toGracePeriods(values),
    nodePeriodSeconds: values.CAPI_NODE_PERIOD_SECONDS,
    watchesNodes: values.CAPI_WATCH_NODES === 'on',
    machineKeys: {
      labels: values.CAPI_ADDITIONAL_SYNC_MACHINE_LABELS ?? [],
      annotations: values.CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS ?? [],
    },
    waitsForFinishedPods: values.CAPI_DRAIN_FINISHED_PODS === 'wait',
    countsInlineDataSecret: values.CAPI_INLINE_DATA_SECRET === 'created',
    machineSetPreflightChecks: values.CAPI_MACHINESET_PREFLIGHT_CHECKS,
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
    memoryMiB: values.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    tracer: values.CAPI_TRACING === 'xray' ? toTracer(values.AWS_XRAY_DAEMON_ADDRESS) : undefined,
  };
}

function toTokenSource(
  values: z.output<typeof environmentSchema>,
  setting: 'CAPI_AUDIT_TOKENS' | 'CAPI_ADMISSION_TOKENS' | 'CAPI_CONVERSION_TOKENS',
): TokenSource {
  return { file: values[`${setting}_FILE`], secret: values[`${setting}_SECRET`], tokens: values[setting] };
}

/** As in upstream, the condition of the connection changes before the conditions of Nodes. */
function toGracePeriods({
  CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: connection,
  CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: conditions,
}: z.output<typeof environmentSchema>): Pick<
  Config,
  'remoteConnectionGracePeriodSeconds' | 'remoteConditionsGracePeriodSeconds'
> {
  if (connection >= conditions) {
    throw new ConfigError(
      `Environment is not valid: CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: must be less than CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS (${conditions})`,
    );
  }
  return { remoteConnectionGracePeriodSeconds: connection, remoteConditionsGracePeriodSeconds: conditions };
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
