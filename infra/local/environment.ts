// What the functions of a local run find in their environment.
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
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
  readonly logLevel: 'debug' | 'info' | 'error';
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
    CAPI_LOG_LEVEL: options.logLevel,
  };
}
