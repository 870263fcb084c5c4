// The tables agree with Go 1.26.
import { describe, expect, test } from 'vitest';
import {
  floorDivide,
  instantOf,
  parseNanoseconds,
  parseTimestamp,
  toMicroTime,
  toNanoTimestamp,
  toTimestamp,
} from '../../../../packages/apimachinery/timestamp.ts';
import { fc } from '../../../support/property.ts';

describe('reading an RFC 3339 time', () => {
  test.each([
    { text: '2026-02-28T23:59:59Z', instant: Date.UTC(2026, 1, 28, 23, 59, 59), reason: 'the plain form' },
    { text: '2024-02-29T00:00:00Z', instant: Date.UTC(2024, 1, 29), reason: 'a leap day' },
    { text: '2026-01-01T02:00:00+02:00', instant: Date.UTC(2026, 0, 1), reason: 'east of UTC' },
    { text: '2025-12-31T20:30:00-03:30', instant: Date.UTC(2026, 0, 1), reason: 'west of UTC' },
    { text: '2026-01-01T00:00:00.25Z', instant: Date.UTC(2026, 0, 1) + 250, reason: 'a fraction' },
    { text: '2026-01-01T00:00:00,5Z', instant: Date.UTC(2026, 0, 1) + 500, reason: 'a fraction after a comma' },
    { text: '2026-01-01T00:00:00.9999Z', instant: Date.UTC(2026, 0, 1) + 999, reason: 'a truncated fraction' },
    { text: '2026-01-02T00:00:00+24:00', instant: Date.UTC(2026, 0, 1), reason: 'the largest hour of an offset' },
    { text: '2026-01-01T01:00:00+00:60', instant: Date.UTC(2026, 0, 1), reason: 'the largest minute of an offset' },
    { text: '2026-01-01T7:00:00Z', instant: Date.UTC(2026, 0, 1, 7), reason: 'a one-digit hour' },
  ])('$text: $reason', ({ text, instant }) => {
    expect(parseTimestamp(text)).toEqual({ ok: true, value: instant });
  });

  const as = 'as "2006-01-02T15:04:05Z07:00": cannot parse';
  test.each([
    { text: 'soon', error: `parsing time "soon" ${as} "soon" as "2006"` },
    { text: '2026/01', error: `parsing time "2026/01" ${as} "/01" as "-"` },
    { text: '2026-1-01T00:00:00Z', error: `parsing time "2026-1-01T00:00:00Z" ${as} "1-01T00:00:00Z" as "01"` },
    { text: '2026-01-01', error: `parsing time "2026-01-01" ${as} "" as "T"` },
    { text: '2026-01-01T00:00:00', error: `parsing time "2026-01-01T00:00:00" ${as} "" as "Z07:00"` },
    { text: '2026-13-01T00:00:00Z', error: 'parsing time "2026-13-01T00:00:00Z": month out of range' },
    { text: '2026-00-01T00:00:00Z', error: 'parsing time "2026-00-01T00:00:00Z": month out of range' },
    { text: '2026-02-29T00:00:00Z', error: 'parsing time "2026-02-29T00:00:00Z": day out of range' },
    { text: '2026-01-00T00:00:00Z', error: 'parsing time "2026-01-00T00:00:00Z": day out of range' },
    { text: '2026-01-01T24:00:00Z', error: 'parsing time "2026-01-01T24:00:00Z": hour out of range' },
    { text: '2026-01-01T00:60:00Z', error: 'parsing time "2026-01-01T00:60:00Z": minute out of range' },
    { text: '2026-01-01T00:00:60Z', error: 'parsing time "2026-01-01T00:00:60Z": second out of range' },
    {
      text: '2026-01-01T00:00:00+25:00',
      error: 'parsing time "2026-01-01T00:00:00+25:00": time zone offset hour out of range',
    },
    {
      text: '2026-01-01T00:00:00-25:61',
      error: 'parsing time "2026-01-01T00:00:00-25:61": time zone offset minute out of range',
    },
    {
      text: '2"\\ä\u007f\n',
      error: String.raw`parsing time "2\"\\\xc3\xa4${'\u007f'}\x0a" ${as} "2\"\\\xc3\xa4${'\u007f'}\x0a" as "2006"`,
    },
    {
      text: 'x2026-01-01T00:00:00Z',
      error: `parsing time "x2026-01-01T00:00:00Z" ${as} "x2026-01-01T00:00:00Z" as "2006"`,
    },
    { text: '2026x-01-01T00:00:00Z', error: `parsing time "2026x-01-01T00:00:00Z" ${as} "x-01-01T00:00:00Z" as "-"` },
    { text: '2026-01x-01T00:00:00Z', error: `parsing time "2026-01x-01T00:00:00Z" ${as} "x-01T00:00:00Z" as "-"` },
    { text: '2026-01-x01T00:00:00Z', error: `parsing time "2026-01-x01T00:00:00Z" ${as} "x01T00:00:00Z" as "02"` },
    { text: '2026-01-01 T00:00:00Z', error: `parsing time "2026-01-01 T00:00:00Z" ${as} " T00:00:00Z" as "T"` },
    { text: '2026-01-01Tx0:00:00Z', error: `parsing time "2026-01-01Tx0:00:00Z" ${as} "x0:00:00Z" as "15"` },
    { text: '2026-01-01T00x:00:00Z', error: `parsing time "2026-01-01T00x:00:00Z" ${as} "x:00:00Z" as ":"` },
    { text: '2026-01-01T00:x00:00Z', error: `parsing time "2026-01-01T00:x00:00Z" ${as} "x00:00Z" as "04"` },
    { text: '2026-01-01T00:00x:00Z', error: `parsing time "2026-01-01T00:00x:00Z" ${as} "x:00Z" as ":"` },
    { text: '2026-01-01T00:00:x00Z', error: `parsing time "2026-01-01T00:00:x00Z" ${as} "x00Z" as "05"` },
    { text: '2026-01-01T00:00:00xZ', error: `parsing time "2026-01-01T00:00:00xZ" ${as} "xZ" as "Z07:00"` },
    { text: '2026-01-01T00:00:00Z!', error: 'parsing time "2026-01-01T00:00:00Z!": extra text: "!"' },
  ])('$text is refused', ({ text, error }) => {
    expect(parseTimestamp(text)).toEqual({ ok: false, error });
  });
});

test.each([
  { text: '2026-01-01T00:00:00Z', instant: Date.UTC(2026, 0, 1) },
  { text: 'soon', instant: undefined },
  { text: undefined, instant: undefined },
  { text: 2026, instant: undefined },
])('the instant of $text', ({ text, instant }) => {
  expect(instantOf(text)).toBe(instant);
});

test.each([
  { text: '1970-01-01T00:00:00.123456789Z', nanoseconds: 123_456_789n },
  { text: '1970-01-01T00:00:00.1234567899Z', nanoseconds: 123_456_789n },
  { text: '1969-12-31T23:59:59.5Z', nanoseconds: -500_000_000n },
  { text: '0000-02-29T00:00:00Z', nanoseconds: -62_162_121_600_000_000_000n },
])('$text in nanoseconds', ({ text, nanoseconds }) => {
  expect(parseNanoseconds(text)).toEqual({ ok: true, value: nanoseconds });
});

test('writing truncates to the whole second, before the epoch too', () => {
  expect(toTimestamp(1999)).toBe('1970-01-01T00:00:01Z');
  expect(toTimestamp(-1)).toBe('1969-12-31T23:59:59Z');
});

test.each([
  { nanoseconds: 0n, micros: '1970-01-01T00:00:00.000000Z', nanos: '1970-01-01T00:00:00Z' },
  { nanoseconds: 1_999_999n, micros: '1970-01-01T00:00:00.001999Z', nanos: '1970-01-01T00:00:00.001999999Z' },
  { nanoseconds: 1_500_000_000n, micros: '1970-01-01T00:00:01.500000Z', nanos: '1970-01-01T00:00:01.5Z' },
  { nanoseconds: -1n, micros: '1969-12-31T23:59:59.999999Z', nanos: '1969-12-31T23:59:59.999999999Z' },
])('writing fractions of a second: $nanos', ({ nanoseconds, micros, nanos }) => {
  expect(toMicroTime(nanoseconds)).toBe(micros);
  expect(toNanoTimestamp(nanoseconds)).toBe(nanos);
});

test('written values can be read again', () => {
  const instants = fc.bigInt({ min: -62_167_219_200_000_000_000n, max: 253_402_300_799_999_999_999n });
  fc.assert(
    fc.property(instants, nanoseconds => {
      expect(parseNanoseconds(toNanoTimestamp(nanoseconds))).toEqual({ ok: true, value: nanoseconds });
    }),
  );
});

test.each([
  { left: 7n, right: 2n, quotient: 3n },
  { left: -7n, right: 2n, quotient: -4n },
  { left: -8n, right: 2n, quotient: -4n },
])('$left / $right rounds down', ({ left, right, quotient }) => {
  expect(floorDivide(left, right)).toBe(quotient);
});

test('a time in the plain form is read as the general form is, also if a number is out of its range', () => {
  const digits = (length: number, max: number) => fc.nat({ max }).map(number => String(number).padStart(length, '0'));
  const parts = fc.tuple(digits(4, 9999), digits(2, 13), digits(2, 32), digits(2, 25), digits(2, 61), digits(2, 61));
  fc.assert(
    fc.property(parts, ([year, month, day, hour, minute, second]) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
      const general = parseNanoseconds(text);
      expect(parseTimestamp(text)).toEqual(
        general.ok ? { ok: true, value: Number(floorDivide(general.value, 1_000_000n)) } : general,
      );
    }),
    { numRuns: 2000 },
  );
});
