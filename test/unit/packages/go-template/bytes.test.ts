// Texts as bytes, with Node's conversions as the reference.

import { describe, expect, it } from 'vitest';
import {
  byteAt,
  byteLength,
  compareBytes,
  countRunes,
  firstRunes,
  fromBytes,
  normalized,
  sameBytes,
  sliceBytes,
  sortedByBytes,
  toBytes,
} from '../../../../packages/go-template/bytes.ts';
import { generated } from '../../../support/extent.ts';
import { fc } from '../../../support/property.ts';

const numRuns = generated(500);

/** Bytes of which many are the start or the middle of a character. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc3, 0xa9, 0xe0, 0xed, 0xa0, 0xef, 0xf0, 0x90, 0xf4, 0xff),
      fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xf5, 0xf8, 0x8f),
      fc.nat(255),
    ),
    { maxLength: 200 },
  )
  .map(bytes => Uint8Array.from(bytes));

/** Texts of escaped bytes, pairs and lone surrogates. */
const someText = fc
  .array(fc.constantFrom('a', 'é', '€', '😀', '\udc80', '\udcff', '\udcc3', '\udca9', '\ud800', '\udc00', '\udfff'), {
    maxLength: 120,
  })
  .map(parts => parts.join(''));

describe('bytes of a text', () => {
  it('return what they came from, also if they are not UTF-8', () => {
    fc.assert(
      fc.property(someBytes, bytes => {
        expect(toBytes(fromBytes(bytes))).toEqual(bytes);
      }),
      { numRuns },
    );
  });

  it('become characters exactly where they are UTF-8', () => {
    fc.assert(
      fc.property(someBytes, bytes => {
        const text = fromBytes(bytes);
        const isUtf8 = Buffer.from(bytes).equals(Buffer.from(Buffer.from(bytes).toString('utf8')));
        expect(text.isWellFormed()).toBe(isUtf8);
        expect(isUtf8 ? text : '').toBe(isUtf8 ? Buffer.from(bytes).toString('utf8') : '');
      }),
      { numRuns },
    );
  });

  it('are those of Node for a text without escaped bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        expect(Buffer.from(toBytes(text)).equals(Buffer.from(text))).toBe(true);
        expect(fromBytes(toBytes(text))).toBe(text);
      }),
      { numRuns },
    );
  });

  it('have the length that is counted, and the order that is compared', () => {
    fc.assert(
      fc.property(someText, someText, (a, b) => {
        expect(byteLength(a)).toBe(toBytes(a).length);
        expect(Math.sign(compareBytes(a, b))).toBe(a === b ? 0 : Math.sign(Buffer.compare(toBytes(a), toBytes(b))));
        expect(toBytes(normalized(a))).toEqual(toBytes(a));
      }),
      { numRuns },
    );
  });

  it('are compared and sorted as in Node', () => {
    fc.assert(
      fc.property(fc.array(someText, { maxLength: 12 }), texts => {
        const sorted = sortedByBytes(texts, text => text).map(text => Buffer.from(toBytes(text)));
        expect(sorted).toEqual(texts.map(text => Buffer.from(toBytes(text))).sort(Buffer.compare));
        const [a = '', b = ''] = texts;
        expect(sameBytes(a, b)).toBe(Buffer.from(toBytes(a)).equals(Buffer.from(toBytes(b))));
        expect(sameBytes(a, normalized(a))).toBe(true);
      }),
      { numRuns },
    );
  });

  it('are counted and cut by characters as an iteration does', () => {
    fc.assert(
      fc.property(someText, fc.nat({ max: 20 }), (text, count) => {
        expect(countRunes(text)).toBe([...text].length);
        expect(firstRunes(text, count)).toBe([...text].slice(0, count).join(''));
      }),
      { numRuns },
    );
  });

  it('are replaced for a surrogate that is no byte', () => {
    expect([...toBytes('a\ud800b\udc00\udc80')]).toEqual([0x61, 0xef, 0xbf, 0xbd, 0x62, 0xef, 0xbf, 0xbd, 0x80]);
  });

  it('are cut inside a character', () => {
    const text = `${'x'.repeat(100)}😀`;
    expect([...toBytes(sliceBytes(text, 99, 102))]).toEqual([0x78, 0xf0, 0x9f]);
    expect(byteAt(text, 101)).toBe(0x9f);
    expect(sliceBytes('plain', 1, 3)).toBe('la');
    expect([byteAt('plain', 0), byteAt('é', 9)]).toEqual([0x70, 0]);
  });

  it('are joined to the character that they form', () => {
    expect(normalized('\udcc3\udca9')).toBe('é');
    expect(normalized('plain')).toBe('plain');
  });

  it('of 300,000 units are decoded in parts', () => {
    const text = 'é\udcff'.repeat(150_000);
    expect(fromBytes(toBytes(text))).toBe(text);
  });
});
