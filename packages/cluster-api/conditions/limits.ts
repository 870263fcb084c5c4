// Limits of messages: the API server refuses a whole status if one message is longer.

/** Characters of a message in `status.conditions`. */
export const longestMessage = 32_768;
/** Characters of a message in the deprecated conditions. */
export const longestV1Beta1Message = 10_240;

const cutMark = '…';

/** The message, cut at `longest` with a mark if it is longer. */
export function toFittingMessage(message: string, longest: number): string {
  // The API server counts characters, not UTF-16 units.
  const characters = [...message];
  return characters.length <= longest ? message : characters.slice(0, longest - 1).join('') + cutMark;
}
