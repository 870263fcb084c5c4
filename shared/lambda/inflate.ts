// Decompresses gzip up to a size limit, which protects against decompression bombs.
import { createGunzip } from 'node:zlib';

type Inflated =
  | { readonly ok: true; readonly bytes: Buffer }
  /** `readBytes` is the inflated size when decompression stopped. It is at most one chunk above the limit. */
  | { readonly ok: false; readonly problem: 'too large' | 'corrupt'; readonly readBytes: number };

/** The chunk size of the decompressor. */
export const inflateChunkBytes = 65_536;

/** Stops reading at the first byte beyond `maxBytes`. Never rejects. */
export async function inflate(gzipped: Uint8Array, maxBytes: number): Promise<Inflated> {
  const gunzip = createGunzip({ chunkSize: inflateChunkBytes });
  gunzip.end(gzipped);
  const chunks: Buffer[] = [];
  let readBytes = 0;
  try {
    for await (const chunk of gunzip) {
      const bytes = chunk as Buffer; // true: no encoding is set, so a stream of bytes yields Buffers
      readBytes += bytes.length;
      if (readBytes > maxBytes) {
        return { ok: false, problem: 'too large', readBytes };
      }
      chunks.push(bytes);
    }
    return { ok: true, bytes: Buffer.concat(chunks, readBytes) };
  } catch {
    return { ok: false, problem: 'corrupt', readBytes };
  } finally {
    gunzip.destroy();
  }
}
