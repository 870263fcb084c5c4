// How long a message may be: the API server would refuse the whole status with a longer one, at every try.

/** Characters of a message in `status.conditions`. */
export const longestMessage = 32_768;
/** Characters of a message in the deprecated conditions. */
export const longestV1Beta1Message = 10_240;

const cutMark = '…';

/** The message itself, or as much of its beginning as fits, with a mark that the end is missing. */
export function toFittingMessage(message: string, longest: number): string {
  // The API server counts characters, not UTF-16 units.
  const characters = [...message];
  return characters.length <= longest ? message : characters.slice(0, longest - 1).join('') + cutMark;
}
