import { describe, expect, it } from 'vitest';
import { toWarnings } from '../../../../../packages/apiserver/http/reply.ts';

describe('warning headers', () => {
  it('contain only printable text', () => {
    expect(toWarnings(['unknown field "spec.ä\n"'])).toEqual(['299 - "unknown field \\"spec.??\\""']);
  });

  it('are limited in total size', () => {
    expect(toWarnings(Array.from({ length: 1000 }, () => 'x'.repeat(100))).join('').length).toBeLessThan(4100);
  });
});
