// Counters of the event sources. Drops and failures have counters of their own.

/** Changes received, by `source` and `type`. */
export const sourceEvents = 'capi_serverless_source_events_total';
/** Changes that enqueue no request, by `source` and `reason`. */
export const droppedEvents = 'capi_serverless_dropped_source_events_total';
/** Changes that a reconciler's mapping or the event source could not read, by `source`. */
export const brokenEvents = 'capi_serverless_broken_source_events_total';
/** Complete lists, by `source`: the first one, and one after each 410 (Gone). */
export const lists = 'capi_serverless_source_lists_total';
/** Lists and watches that failed, by `source` and `reason`. */
export const sourceFailures = 'capi_serverless_source_failures_total';
/** Watch streams that were reopened after a long silence, by `source`. */
export const silentStreams = 'capi_serverless_silent_source_streams_total';
/** Messages that a queue accepted, by `queue`. */
export const sentMessages = 'capi_serverless_sent_messages_total';
/** Messages that a queue did not accept, by `queue`. */
export const refusedSends = 'capi_serverless_refused_sends_total';
