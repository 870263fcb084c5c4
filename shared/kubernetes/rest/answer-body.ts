// Receives the body of an answer. Bodies that are large together wait for each other, so that what many servers send at
// the same time fits the memory of the process.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FairPermits } from '../../kernel/fair-permits.ts';

/** The size from which an answer needs a permit. */
const largeAnswerBytes = 256 * 1024;

/** The number of large answers that are received at the same time. With 8 MiB each, they and their copies have 64 MiB. */
const mostLargeAnswers = 4;

/** Returns the permits of large answers, for all connections of a process to servers of one kind. */
export function newLargeAnswers(): FairPermits {
  return new FairPermits(mostLargeAnswers);
}

/** The answer, or an event of a watch, is larger than is read. */
export class TooLargeError extends Error {}

/** gzip is requested for lists and of extensions only. Limits apply to the inflated size. */
export function inflated(response: IncomingMessage): Readable {
  // pipeline destroys both streams if one fails, so the reader gets the error.
  return response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response;
}

/**
 * Returns the whole body. Rejects if it is truncated or larger than `maxBytes`. `beginLarge`: called before more than a
 * small part is received. Its result is called at the end.
 */
export async function collect(
  body: Readable,
  maxBytes: number,
  beginLarge?: () => Promise<() => void>,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let endLarge: (() => void) | undefined;
  try {
    for await (const chunk of body) {
      const bytes = chunk as Buffer; // true: no encoding is set, so a stream of bytes yields Buffers
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxBytes) {
        throw new TooLargeError(`the answer is larger than ${maxBytes} bytes`);
      }
      if (size > largeAnswerBytes && endLarge === undefined) {
        endLarge = await beginLarge?.();
      }
    }
    return Buffer.concat(chunks, size);
  } finally {
    endLarge?.();
  }
}
