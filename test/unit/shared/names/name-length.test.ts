import { describe, expect, it } from 'vitest';
import { cutName, fitName } from '../../../../shared/names/name-length.ts';

describe('a generated name', () => {
  const names = [
    { text: 'short', fitted: 'short', reason: 'a short name stays' },
    { text: 'a'.repeat(63), fitted: 'a'.repeat(63), reason: 'a label value may have 63 bytes' },
    { text: 'a'.repeat(64), fitted: `${'a'.repeat(58)}zzzzz`, reason: 'one byte too long' },
    { text: 'ä'.repeat(31), fitted: 'ä'.repeat(31), reason: '62 bytes' },
    { text: 'ä'.repeat(32), fitted: `${'ä'.repeat(29)}zzzzz`, reason: '64 bytes, although only 32 characters' },
    { text: `a${'ä'.repeat(32)}`, fitted: `a${'ä'.repeat(28)}zzzzz`, reason: 'byte 58 is within a character' },
  ];
  it.each(names)('has at most 63 bytes: $reason', ({ text, fitted }) => {
    expect(fitName(text, 'zzzzz')).toBe(fitted);
  });

  it.each([
    { text: 'short', kept: 'short', reason: 'shorter than the limit' },
    { text: 'a'.repeat(59), kept: 'a'.repeat(58), reason: 'longer than the limit' },
    { text: `${'a'.repeat(57)}ä`, kept: 'a'.repeat(57), reason: 'the limit is within a character' },
  ])('is truncated to 58 bytes: $reason', ({ text, kept }) => {
    expect(cutName(text)).toBe(kept);
  });
});
