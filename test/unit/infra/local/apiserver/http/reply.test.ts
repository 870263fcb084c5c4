import { describe, expect, it } from 'vitest';
import { toWarnings } from '../../../../../../infra/local/apiserver/http/reply.ts';

describe('warning headers', () => {
  it('carry printable text alone', () => {
    expect(toWarnings(['unknown field "spec.ä\n"'])).toEqual(['299 - "unknown field \\"spec.??\\""']);
  });

  it('stay small together', () => {
    expect(toWarnings(Array.from({ length: 1000 }, () => 'x'.repeat(100))).join('').length).toBeLessThan(4100);
  });
});
