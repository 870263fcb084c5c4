import { describe, expect, it } from 'vitest';
import { toLimitedText } from '../../../../packages/apimachinery/text-limit.ts';

describe('a limited text', () => {
  it.each([
    { reason: 'a short one stays', text: 'ab', longest: 3, limited: 'ab' },
    { reason: 'one that just fits stays', text: 'abc', longest: 3, limited: 'abc' },
    {
      reason: 'a longer one loses its end, with the number of cut units',
      text: 'abcde',
      longest: 3,
      limited: 'abc… (2 more)',
    },
    { reason: 'no character is split', text: 'ab😀cd', longest: 3, limited: 'ab… (4 more)' },
    { reason: 'the first surrogate is also no end', text: 'ab\ud800cd', longest: 3, limited: 'ab… (3 more)' },
    { reason: 'the last first surrogate is also no end', text: 'ab\udbffcd', longest: 3, limited: 'ab… (3 more)' },
    { reason: 'a second surrogate is an end', text: 'a😀cd', longest: 3, limited: 'a😀… (2 more)' },
    { reason: 'a unit below the surrogates is an end', text: 'ab\ud7ffcd', longest: 3, limited: 'ab\ud7ff… (2 more)' },
  ])('$reason', ({ text, longest, limited }) => {
    expect(toLimitedText(text, longest)).toBe(limited);
  });
});
