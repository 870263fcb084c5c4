// What the forwarder counts; all counters are labelled, so that a drop can be told from a failure.

/** Changes seen, by `source` and `type`. */
export const sourceEvents = 'capi_serverless_source_events_total';
/** Changes that wake nobody, by `source` and `reason`. */
export const droppedEvents = 'capi_serverless_dropped_source_events_total';
/** Changes that a reconciler's mapping or the forwarder itself could not read, by `source`. */
export const brokenEvents = 'capi_serverless_broken_source_events_total';
/** Lists read in full, by `source`: the first, and one after each 410. */
export const lists = 'capi_serverless_source_lists_total';
/** Lists and watches that failed, by `source` and `reason`. */
export const sourceFailures = 'capi_serverless_source_failures_total';
/** Streams that showed nothing for so long that they were opened anew, by `source`. */
export const silentStreams = 'capi_serverless_silent_source_streams_total';
/** Messages that a queue accepted, by `queue`. */
export const sentMessages = 'capi_serverless_sent_messages_total';
/** Messages that a queue did not accept, by `queue`. */
export const refusedSends = 'capi_serverless_refused_sends_total';
