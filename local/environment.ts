// The environment variables of the functions of a local run.
import { type FeatureGates, parseFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { LocalSqs } from './sqs.ts';
import { UsageError } from './usage-error.ts';

export interface EnvironmentOptions {
  /** The path of a kubeconfig without exec plugin. The functions read it. */
  readonly kubeconfigPath: string;
  readonly managementCluster: string;
  readonly watchFilter: string;
  readonly resyncPeriodSeconds: number;
  /** The settings of the audit webhook, if it runs. */
  readonly auditTokensFile?: string | undefined;
  /** The feature gates in the user's syntax. They override the gates that a local run enables. */
  readonly featureGates?: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'error';
}

/** The gates that upstream disables by default. */
const localGates = 'ClusterTopology=true,RuntimeSDK=true';

/** Returns the gates of a local run with the user's settings. Throws UsageError. */
export function toLocalGates(text: string | undefined): FeatureGates {
  const parsed = parseFeatureGates(toGatesText(text));
  if (!parsed.ok) {
    throw new UsageError(`CAPI_FEATURE_GATES: ${parsed.error}`);
  }
  return parsed.value;
}

/** If a gate is named twice, the last value is used. */
function toGatesText(text = ''): string {
  return [localGates, text].join(',');
}

/** The variables that `parseConfig` reads, and the variables of the queues. */
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
    // Workload clusters on this machine, simulated or from kind, listen on loopback.
    CAPI_REMOTE_ADDRESSES: 'any',
    CAPI_FEATURE_GATES: toGatesText(options.featureGates),
    CAPI_LOG_LEVEL: options.logLevel,
  };
}
