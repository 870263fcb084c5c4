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
/** Reconciles that threw what is none of the kernel's error classes. */
export const reconcilePanics = 'controller_runtime_reconcile_panics_total';
/** Messages that came from the queue, by `name`, which is the function's. */
export const workqueueAdds = 'workqueue_adds_total';
/** Requests that go round again because their reconcile failed. */
export const workqueueRetries = 'workqueue_retries_total';
/** From when a message was sent until it was received; behind the delay queue that is mostly meant. */
export const workqueueQueueSeconds = 'workqueue_queue_duration_seconds';
export const workqueueWorkSeconds = 'workqueue_work_duration_seconds';
/** Ours: reconciles that only the resync caused and that found work (missed-event.ts). */
export const missedEvents = 'capi_serverless_missed_events_total';
/** Ours: messages that name no work for this function, by reason. */
export const refusedMessages = 'capi_serverless_refused_messages_total';
/** Ours: follow-ups that the queue did not accept. */
export const failedFollowUps = 'capi_serverless_failed_follow_ups_total';
/** Ours: messages in a dead-letter queue, by `queue`; told by each resync, and only where there are some. */
export const deadLetters = 'capi_serverless_dead_letters';
/** Ours: messages that wait in a queue where, if it were served, fewer would, by `queue`; told as the above. */
export const waitingMessages = 'capi_serverless_waiting_messages';
