// What the functions of a local run find in their environment.
import { type FeatureGates, parseFeatureGates } from '../../shared/config/feature-gates.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { UsageError } from './options.ts';
import type { LocalSqs } from './sqs.ts';

export interface EnvironmentOptions {
  /** A plain kubeconfig (no exec plugin) that the functions read. */
  readonly kubeconfigPath: string;
  readonly managementCluster: string;
  readonly watchFilter: string;
  readonly resyncPeriodSeconds: number;
  readonly queueDesign: QueueDesign;
  /** For the audit webhook, where it runs. */
  readonly auditTokensFile?: string | undefined;
  /** As the user set them; they win over what a local run turns on by itself. */
  readonly featureGates?: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'error';
}

/** Off by default as upstream has it; on one machine it costs nothing. */
const localGates = 'ClusterTopology=true,RuntimeSDK=true';

/** The gates of a local run in which the user set these. Throws UsageError. */
export function toLocalGates(text: string | undefined): FeatureGates {
  const parsed = parseFeatureGates(toGatesText(text));
  if (!parsed.ok) {
    throw new UsageError(`CAPI_FEATURE_GATES: ${parsed.error}`);
  }
  return parsed.value;
}

/** Of a gate that is named twice the last word counts. */
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
    CAPI_QUEUE_DESIGN: options.queueDesign,
    CAPI_AUDIT_TOKENS_FILE: options.auditTokensFile ?? '',
    // Workload clusters of one machine, simulated ones and kind's, listen on loopback.
    CAPI_REMOTE_ADDRESSES: 'any',
    CAPI_FEATURE_GATES: toGatesText(options.featureGates),
    CAPI_LOG_LEVEL: options.logLevel,
  };
}
