// Counters and timings under controller-runtime's names, so that existing dashboards keep working.
// https://book.kubebuilder.io/reference/metrics-reference

export type MetricLabels = Readonly<Record<string, string>>;

export interface Metrics {
  count(name: string, labels: MetricLabels): void;
  /** Seconds. */
  observe(name: string, labels: MetricLabels, seconds: number): void;
}

export const reconcileTotal = 'controller_runtime_reconcile_total';
export const reconcileErrors = 'controller_runtime_reconcile_errors_total';
export const terminalReconcileErrors = 'controller_runtime_terminal_reconcile_errors_total';
export const reconcileSeconds = 'controller_runtime_reconcile_time_seconds';
/** Ours: messages that name no work for this function, by reason. */
export const refusedMessages = 'capi_serverless_refused_messages_total';
/** Ours: follow-ups that the queue did not accept. */
export const failedFollowUps = 'capi_serverless_failed_follow_ups_total';
