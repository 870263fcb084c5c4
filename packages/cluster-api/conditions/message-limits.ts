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

/** The texts of the deprecated conditions, and of the failure fields. */
export const toFittingV1Beta1 = {
  message: (message: string): string => toStoredMessage(message, longestV1Beta1Message),
  reason: (reason: string): string => toFittingReason(reason, longestV1Beta1Reason),
};

/** Returns the message. If it is longer than `longest`, it is truncated and marked. */
export function toFittingMessage(message: string, longest: number): string {
  // The API server counts characters, not UTF-16 units.
  const characters = [...message];
  return characters.length <= longest ? message : characters.slice(0, longest - 1).join('') + cutMark;
}

/**
 * The same for a message of a condition. A message that is much longer in JSON is also cut, so that the conditions of an
 * object never exceed the size of a request.
 */
export function toStoredMessage(message: string, longest: number): string {
  const fitting = toFittingMessage(message, longest);
  const mostBytes = longest * bytesPerCharacter;
  if (fitting.length * mostBytesOfUnit <= mostBytes) {
    return fitting;
  }
  let bytes = 0;
  /** The number of UTF-16 units that leave space for the mark. */
  let kept = 0;
  for (const character of fitting) {
    bytes += bytesOf(character);
    if (bytes <= mostBytes - bytesOfCutMark) {
      kept += character.length;
    }
    if (bytes > mostBytes) {
      return fitting.slice(0, kept) + cutMark;
    }
  }
  return fitting;
}

/** The average size of a character in JSON. An escaped character has up to six bytes, an emoji has four. */
const bytesPerCharacter = 2;
/** The size of an escaped UTF-16 unit. */
const mostBytesOfUnit = 6;

/** The number of bytes of a character in JSON. */
function bytesOf(character: string): number {
  const { length } = JSON.stringify(character);
  const escaped = length - 2;
  if (escaped > character.length) {
    return escaped;
  }
  const code = character.charCodeAt(0);
  return character.length === 2 ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
}

const bytesOfCutMark = bytesOf(cutMark);
