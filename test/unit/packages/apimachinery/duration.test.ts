// The tables agree with Go 1.26.
import { describe, expect, it, test } from 'vitest';
import { parseDuration, printDuration } from '../../../../packages/apimachinery/duration.ts';
import { fc } from '../../../support/property.ts';

describe('reading a duration', () => {
  test.each([
    { text: '1h2m3.5s', nanoseconds: 3_723_500_000_000n, reason: 'several units' },
    { text: '3s1h', nanoseconds: 3_603_000_000_000n, reason: 'in any order' },
    { text: '1ns', nanoseconds: 1n, reason: 'nanoseconds' },
    { text: '2us', nanoseconds: 2000n, reason: 'microseconds' },
    { text: '2\u00b5s', nanoseconds: 2000n, reason: 'microseconds with the micro sign' },
    { text: '2\u03bcs', nanoseconds: 2000n, reason: 'microseconds with the Greek letter' },
    { text: '3ms', nanoseconds: 3_000_000n, reason: 'milliseconds' },
    { text: '4m', nanoseconds: 240_000_000_000n, reason: 'minutes' },
    { text: '0', nanoseconds: 0n, reason: 'zero without unit' },
    { text: '-0', nanoseconds: 0n, reason: 'zero with a sign' },
    { text: '+5s', nanoseconds: 5_000_000_000n, reason: 'a plus' },
    { text: '-1.5h', nanoseconds: -5_400_000_000_000n, reason: 'a minus' },
    { text: '.5s', nanoseconds: 500_000_000n, reason: 'no whole part' },
    { text: '5.s', nanoseconds: 5_000_000_000n, reason: 'an empty fraction' },
    { text: '0.1ns', nanoseconds: 0n, reason: 'truncated' },
    { text: '0.3333333333333333333h', nanoseconds: 1_200_000_000_000n, reason: 'rounded as a double' },
    { text: '0.9223372036854775807h', nanoseconds: 3_320_413_933_267n, reason: 'a fraction of 63 bits' },
    { text: '0.9223372036854775808h', nanoseconds: 3_320_413_933_267n, reason: 'a fraction of just 64 bits' },
    { text: '0.9223372036854775809h', nanoseconds: 3_320_413_933_267n, reason: 'a fraction beyond 64 bits' },
    { text: '0.9223372036854775900h', nanoseconds: 3_320_413_933_267n, reason: 'a fraction far beyond 64 bits' },
    { text: '0.00000000000000000000000001h', nanoseconds: 0n, reason: 'many zeros' },
    { text: '0.10000000000000000000000000h', nanoseconds: 360_000_000_000n, reason: 'zeros behind' },
    { text: '000000000000000000000000001s', nanoseconds: 1_000_000_000n, reason: 'leading zeros' },
    { text: '9223372036854775807ns', nanoseconds: 2n ** 63n - 1n, reason: 'the longest' },
    { text: '-9223372036854775808ns', nanoseconds: -(2n ** 63n), reason: 'the longest negative one' },
    { text: '-2562047h47m16.854775808s', nanoseconds: -(2n ** 63n), reason: 'the same in parts' },
  ])('$text: $reason', ({ text, nanoseconds }) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  test.each([
    { text: '', reason: 'empty' },
    { text: '-', reason: 'only a sign' },
    { text: '3', reason: 'no unit' },
    { text: '1h3', reason: 'no unit at the end' },
    { text: 's', reason: 'no number' },
    { text: '.s', reason: 'only a point' },
    { text: '-.s', reason: 'only a point with a sign' },
    { text: '1d', reason: 'days' },
    { text: '1S', reason: 'a large letter' },
    { text: '1 s', reason: 'a space' },
    { text: '1s\n', reason: 'a line break' },
    { text: 'x1s', reason: 'a text before' },
    { text: '1.2.3s', reason: 'two points' },
    { text: '--1s', reason: 'two signs' },
    { text: '1constructor', reason: 'the name of a member of any object' },
    { text: '9223372036854775808ns', reason: 'one too long' },
    { text: '9223372036854775809ns', reason: 'two too long' },
    { text: '-9223372036854775809ns', reason: 'one too long, negative' },
    { text: '99999999999999999999ns', reason: 'a number of 20 digits' },
    { text: '2562048h', reason: 'too many hours' },
    { text: '2562047h48m', reason: 'too long as a sum' },
  ])('"$text" is refused: $reason', ({ text }) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('printing a duration', () => {
  test.each([
    { nanoseconds: 0n, text: '0s' },
    { nanoseconds: 1n, text: '1ns' },
    { nanoseconds: 999n, text: '999ns' },
    { nanoseconds: 1000n, text: '1µs' },
    { nanoseconds: 1100n, text: '1.1µs' },
    { nanoseconds: 999_999n, text: '999.999µs' },
    { nanoseconds: 1_000_000n, text: '1ms' },
    { nanoseconds: 2_200_000n, text: '2.2ms' },
    { nanoseconds: 1_000_000_000n, text: '1s' },
    { nanoseconds: 3_300_000_000n, text: '3.3s' },
    { nanoseconds: 245_000_000_000n, text: '4m5s' },
    { nanoseconds: 245_001_000_000n, text: '4m5.001s' },
    { nanoseconds: 3_600_000_000_000n, text: '1h0m0s' },
    { nanoseconds: 18_367_001_000_000n, text: '5h6m7.001s' },
    { nanoseconds: 480_000_000_001n, text: '8m0.000000001s' },
    { nanoseconds: -1_500_000n, text: '-1.5ms' },
    { nanoseconds: -(2n ** 63n), text: '-2562047h47m16.854775808s' },
  ])('$text', ({ nanoseconds, text }) => {
    expect(printDuration(nanoseconds)).toBe(text);
  });

  it('can be read again', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), nanoseconds => {
        const read = parseDuration(printDuration(nanoseconds));
        // Go computes the fraction of a second in double precision, which is exact for nine digits.
        expect(read).toBe(nanoseconds);
      }),
    );
  });
});
