// Parses JSON bodies from untrusted senders, with limits on size, inflation and depth.
import { inflate } from '../lambda/inflate.ts';

/** The request size limit of a Function URL: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const maxBodyBytes = 6 * 1024 * 1024;

/** The limit is several times the largest body that an API server sends with the recommended flags. */
export const maxInflatedBytes = 16 * 1024 * 1024;

/** Go's encoding/json reads at most 10,000 levels. The API server has the same limit. An event adds a few levels. */
export const maxDepth = 10_050;

/** The reason why a body is refused. The message never quotes the body. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly code: 400 | 413;

  constructor(code: 400 | 413, message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws BodyError. */
export async function inflateBody(bytes: Uint8Array): Promise<Uint8Array> {
  const inflated = await inflate(bytes, maxInflatedBytes);
  if (inflated.ok) {
    return inflated.bytes;
  }
  throw inflated.problem === 'corrupt'
    ? new BodyError(400, 'The body is not complete gzip')
    : new BodyError(
        413,
        `The body inflates to more than ${maxInflatedBytes} bytes; decompression stopped after ${inflated.readBytes}`,
      );
}

/** Throws BodyError. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError(400, 'The body is not UTF-8');
  }
}

/** Throws BodyError. */
export function parseJson(text: string): unknown {
  if (isDeeperThan(text, maxDepth)) {
    throw new BodyError(400, `The body is nested more than ${maxDepth} levels deep`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error quotes the text, so it is dropped.
    throw new BodyError(400, 'The body is not JSON');
  }
}

const code = { quote: 34, backslash: 92, openList: 91, closeList: 93, openObject: 123, closeObject: 125 } as const;

/** Counts brackets outside strings, before the text is parsed. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= most; at += 1) {
    switch (text.charCodeAt(at)) {
      case code.quote:
        at = endOfString(text, at);
        break;
      case code.openList:
      case code.openObject:
        depth += 1;
        break;
      case code.closeList:
      case code.closeObject:
        depth -= 1;
        break;
    }
  }
  return depth > most;
}

/**
 * Returns the index where the string that begins at `start` ends. An unterminated string ends at the end of the text.
 */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== code.quote) {
    at += text.charCodeAt(at) === code.backslash ? 2 : 1;
  }
  return at;
}
