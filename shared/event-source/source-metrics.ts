// Counters of the event sources. Drops and failures have separate counters.

/** The number of received changes, by `source` and `type`. */
export const sourceEvents = 'capi_serverless_source_events_total';
/** The number of changes that enqueue no request, by `source` and `reason`. */
export const droppedEvents = 'capi_serverless_dropped_source_events_total';
/**
 * The number of changes that could not be read, by `source`. Either a mapping of a reconciler or the event source
 * failed.
 */
export const brokenEvents = 'capi_serverless_broken_source_events_total';
/** The number of complete lists, by `source`: the first one, and one after each 410 (Gone). */
export const lists = 'capi_serverless_source_lists_total';
/** The number of failed lists and watches, by `source` and `reason`. */
export const sourceFailures = 'capi_serverless_source_failures_total';
/** The number of watch streams that were opened again after an idle timeout, by `source`. */
export const silentStreams = 'capi_serverless_silent_source_streams_total';
/** The number of messages that a queue accepted, by `queue`. */
export const sentMessages = 'capi_serverless_sent_messages_total';
/** The number of messages that a queue did not accept, by `queue`. */
export const refusedSends = 'capi_serverless_refused_sends_total';
