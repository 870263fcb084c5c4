// Limits of messages: the API server refuses a whole status if one message is longer.

/** The maximum length of a message in `status.conditions`, in characters. */
export const longestMessage = 32_768;
/** The maximum length of a message in the deprecated conditions, in characters. */
export const longestV1Beta1Message = 10_240;

const cutMark = '…';

/** Returns the message. If it is longer than `longest`, it is truncated and marked. */
export function toFittingMessage(message: string, longest: number): string {
  // The API server counts characters, not UTF-16 units.
  const characters = [...message];
  return characters.length <= longest ? message : characters.slice(0, longest - 1).join('') + cutMark;
}
