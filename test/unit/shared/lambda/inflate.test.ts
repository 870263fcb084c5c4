import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflate, inflateChunkBytes } from '../../../../shared/lambda/inflate.ts';

describe('inflating', () => {
  it.each([0, 1, inflateChunkBytes, 1_000_000])('returns %i bytes unchanged', async length => {
    const bytes = Buffer.alloc(length, 'abcdefg');
    expect(await inflate(gzipSync(bytes), 1_000_000)).toEqual({ ok: true, bytes });
  });

  it('reads at most one chunk beyond the limit, regardless of the total', async () => {
    const limit = 100_000;
    for (const length of [limit + 1, 1_000_000, 100_000_000]) {
      const inflated = await inflate(gzipSync(Buffer.alloc(length)), limit);
      expect(inflated).toMatchObject({ ok: false, problem: 'too large' });
      expect('readBytes' in inflated && inflated.readBytes).toBeLessThanOrEqual(limit + inflateChunkBytes);
    }
  });

  it.each([
    { gzipped: gzipSync('whole').subarray(0, -1), reason: 'cut off' },
    { gzipped: Buffer.from('plain'), reason: 'not gzip' },
    { gzipped: Buffer.alloc(0), reason: 'empty' },
    { gzipped: gzipSync('whole').fill(0, 12, 14), reason: 'damaged' },
  ])('reports corrupt bytes: $reason', async ({ gzipped }) => {
    expect(await inflate(gzipped, 1_000)).toMatchObject({ ok: false, problem: 'corrupt' });
  });
});
