// The time after which an invocation has ended.

/** The timeout of the function. */
export const timeoutSeconds = 120;
