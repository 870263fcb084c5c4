// Counters and timings with the names of controller-runtime, so that existing dashboards can be used.
// https://book.kubebuilder.io/reference/metrics-reference

export type MetricLabels = Readonly<Record<string, string>>;

export interface Metrics {
  count(name: string, labels: MetricLabels): void;
  /** Records a duration in seconds. */
  observe(name: string, labels: MetricLabels, seconds: number): void;
}

export const reconcileTotal = 'controller_runtime_reconcile_total';
export const reconcileErrors = 'controller_runtime_reconcile_errors_total';
export const terminalReconcileErrors = 'controller_runtime_terminal_reconcile_errors_total';
export const reconcileSeconds = 'controller_runtime_reconcile_time_seconds';
/** The number of reconciles that threw an unexpected error (`Reconciled.defect`). */
export const reconcilePanics = 'controller_runtime_reconcile_panics_total';
/** The number of messages received from the queue, by `name` of the function. */
export const workqueueAdds = 'workqueue_adds_total';
/** The number of requests that are retried because their reconcile failed. */
export const workqueueRetries = 'workqueue_retries_total';
/** The time from send to receive of a message. On the delay queue, it includes the requested delay. */
export const workqueueQueueSeconds = 'workqueue_queue_duration_seconds';
export const workqueueWorkSeconds = 'workqueue_work_duration_seconds';
/** A metric of this project: reconciles that the next invocation continues, because the time of this one was up. */
export const reconcilesOutOfTime = 'capi_serverless_reconciles_out_of_time_total';
/** A metric of this project: reconciles that only the resync caused and that found work (missed-event.ts). */
export const missedEvents = 'capi_serverless_missed_events_total';
/** A metric of this project: objects whose reconciles ended two processes, each time one is found. */
export const exhaustedReconciles = 'capi_serverless_exhausted_reconciles_total';
/** A metric of this project: messages that this function refuses, by reason. */
export const refusedMessages = 'capi_serverless_refused_messages_total';
/** The number of reviews that the admission function answers, by `webhook` and `code` of the decision. */
export const webhookRequests = 'controller_runtime_webhook_requests_total';
export const webhookSeconds = 'controller_runtime_webhook_latency_seconds';
/** A metric of this project: follow-ups that the queue did not accept. */
export const failedFollowUps = 'capi_serverless_failed_follow_ups_total';
/** A metric of this project: messages in a dead-letter queue, by `queue`. Each resync reports it if there are any. */
export const deadLetters = 'capi_serverless_dead_letters';
/**
 * A metric of this project: visible messages of a queue that seems to have no consumer, by `queue`. Each resync reports
 * it if there are any.
 */
export const waitingMessages = 'capi_serverless_waiting_messages';
