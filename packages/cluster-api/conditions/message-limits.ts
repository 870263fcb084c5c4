// Limits of messages and reasons: the API server refuses a whole status if one of them is longer.

/** The maximum length of a message in `status.conditions`, in characters. */
export const longestMessage = 32_768;
/** The maximum length of a message in the deprecated conditions, in characters. */
export const longestV1Beta1Message = 10_240;

/** The maximum length of a reason in `status.conditions`, and in the deprecated conditions. */
export const longestReason = 1024;
export const longestV1Beta1Reason = 256;

/** Replaces a reason that an API server refuses. A reason is one word, so that its end cannot be marked as cut. */
export const reasonTooLong = 'ReasonTooLong';

export function toFittingReason(reason: string, longest: number): string {
  return reason.length <= longest ? reason : reasonTooLong;
}

const cutMark = '…';

/** Returns the message. If it is longer than `longest`, it is truncated and marked. */
export function toFittingMessage(message: string, longest: number): string {
  // The API server counts characters, not UTF-16 units.
  const characters = [...message];
  return characters.length <= longest ? message : characters.slice(0, longest - 1).join('') + cutMark;
}
