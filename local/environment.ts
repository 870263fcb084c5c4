// The environment variables of the functions of a local run.
import { type FeatureGates, parseFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { LocalSqs } from './sqs.ts';
import { UsageError } from './usage-error.ts';

export interface EnvironmentOptions {
  /** A plain kubeconfig (no exec plugin) that the functions read. */
  readonly kubeconfigPath: string;
  readonly managementCluster: string;
  readonly watchFilter: string;
  readonly resyncPeriodSeconds: number;
  /** For the audit webhook, if it runs. */
  readonly auditTokensFile?: string | undefined;
  /** As the user set them; they override the gates that a local run turns on. */
  readonly featureGates?: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'error';
}

/** Off by default upstream. */
const localGates = 'ClusterTopology=true,RuntimeSDK=true';

/** The gates of a local run, with the user's settings. Throws UsageError. */
export function toLocalGates(text: string | undefined): FeatureGates {
  const parsed = parseFeatureGates(toGatesText(text));
  if (!parsed.ok) {
    throw new UsageError(`CAPI_FEATURE_GATES: ${parsed.error}`);
  }
  return parsed.value;
}

/** If a gate is named twice, the last value wins. */
function toGatesText(text = ''): string {
  return [localGates, text].join(',');
}

/** The variables that `parseConfig` reads, and those of the queues. */
export function toEnvironment(
  options: EnvironmentOptions,
  sqs: Pick<LocalSqs, 'environment'>,
): Readonly<Record<string, string>> {
  return {
    ...sqs.environment,
    CAPI_KUBECONFIG: options.kubeconfigPath,
    CAPI_MANAGEMENT_CLUSTER: options.managementCluster,
    CAPI_WATCH_FILTER: options.watchFilter,
    CAPI_RESYNC_PERIOD_SECONDS: String(options.resyncPeriodSeconds),
    CAPI_AUDIT_TOKENS_FILE: options.auditTokensFile ?? '',
    // Workload clusters on this machine, simulated or kind's, listen on loopback.
    CAPI_REMOTE_ADDRESSES: 'any',
    CAPI_FEATURE_GATES: toGatesText(options.featureGates),
    CAPI_LOG_LEVEL: options.logLevel,
  };
}
