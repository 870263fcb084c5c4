// Embedding a message into a bulleted message.

/** What follows `* X:` when this message is shown below it: on the same line, or as an indented list. */
export function indentMessage(message: string): string {
  throw new Error(`not written: ${message}`);
}
