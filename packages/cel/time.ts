// Durations and times as values.
import { parseDuration as parseGoDuration } from '@capi-serverless/apimachinery/duration';
import { parseNanoseconds, toNanoTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { DurationValue, TimestampValue } from './value.ts';

/** Parses a duration such as `1h30m` or `-1.5s`. Returns undefined for any other text and for more than 290 years. */
export function parseDuration(text: string): DurationValue | undefined {
  const nanoseconds = parseGoDuration(text);
  return nanoseconds === undefined ? undefined : { kind: 'duration', nanoseconds };
}

/** A longer text may have a long fraction, but no other characters. */
const longestPlain = 100;

/** Parses an RFC 3339 time. Returns undefined for any other text. */
export function parseTimestamp(text: string): TimestampValue | undefined {
  // The error quotes the text, which takes microseconds for each character.
  if (text.length > longestPlain && /[^0-9tTzZ:.,+-]/.test(text)) {
    return undefined;
  }
  const parsed = parseNanoseconds(text);
  return parsed.ok ? { kind: 'timestamp', nanoseconds: parsed.value } : undefined;
}

/** Formats a duration like `string(duration)`: seconds with a fraction. */
export function formatDuration(value: DurationValue): string {
  const { nanoseconds } = value;
  const whole = nanoseconds / 1_000_000_000n;
  const fraction = (nanoseconds < 0n ? -nanoseconds : nanoseconds) % 1_000_000_000n;
  const sign = nanoseconds < 0n && whole === 0n ? '-' : '';
  return `${sign}${whole}${
    fraction === 0n
      ? ''
      : `.${String(fraction)
          .padStart(9, '0')
          .replace(/(?<!0)0+$/, '')}`
  }s`;
}

export function formatTimestamp(value: TimestampValue): string {
  return toNanoTimestamp(value.nanoseconds);
}
