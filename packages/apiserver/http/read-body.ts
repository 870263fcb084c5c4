// Reads the body of a request to a loopback server, up to a limit.
import type { IncomingMessage } from 'node:http';

/** Returns `undefined` if the client disconnects. Never rejects. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | 'too large' | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer; // true: without an encoding the stream yields Buffers
      size += bytes.length;
      // A body that is too large is read to its end, because clients read the response only after they have sent the
      // whole body.
      if (size <= mostBytes) {
        chunks.push(bytes);
      }
    }
  } catch {
    return undefined;
  }
  return size > mostBytes ? 'too large' : Buffer.concat(chunks, size);
}
