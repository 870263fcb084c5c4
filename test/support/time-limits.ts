// The factor by which tests raise the time limits of the product. On a loaded machine, a call takes long.

export const timeLimitFactor = 20;

/** For the programs that tests start. */
export const raisedLimits = { CAPI_TIME_LIMIT_FACTOR: String(timeLimitFactor) } as const;
