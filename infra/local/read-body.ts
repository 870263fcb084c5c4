// The body of a request to one of our loopback servers, with a limit.
import type { IncomingMessage } from 'node:http';

/** `undefined` when the client goes away. Never rejects. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | 'too large' | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer; // no encoding is set, so a stream of bytes yields Buffers
      size += bytes.length;
      // What is too large is read to its end all the same: the client would not read an answer before it has sent all.
      if (size <= mostBytes) {
        chunks.push(bytes);
      }
    }
  } catch {
    return undefined;
  }
  return size > mostBytes ? 'too large' : Buffer.concat(chunks, size);
}
