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
/** Reconciles that threw an unexpected error (`Reconciled.defect`). */
export const reconcilePanics = 'controller_runtime_reconcile_panics_total';
/** Messages received from the queue, by `name` of the function. */
export const workqueueAdds = 'workqueue_adds_total';
/** Requests that are retried because their reconcile failed. */
export const workqueueRetries = 'workqueue_retries_total';
/** Time from send to receive of a message. On the delay queue it includes the requested delay. */
export const workqueueQueueSeconds = 'workqueue_queue_duration_seconds';
export const workqueueWorkSeconds = 'workqueue_work_duration_seconds';
/** Ours: reconciles that only the resync caused and that found work (missed-event.ts). */
export const missedEvents = 'capi_serverless_missed_events_total';
/** Ours: messages that this function refuses, by reason. */
export const refusedMessages = 'capi_serverless_refused_messages_total';
/** Ours: follow-ups that the queue did not accept. */
export const failedFollowUps = 'capi_serverless_failed_follow_ups_total';
/** Ours: messages in a dead-letter queue, by `queue`. Each resync reports it if there are any. */
export const deadLetters = 'capi_serverless_dead_letters';
/** Ours: visible messages of a queue that seems to have no consumer, by `queue`. Each resync reports it if there are any. */
export const waitingMessages = 'capi_serverless_waiting_messages';
