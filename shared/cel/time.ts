// Durations as Go writes them and times of RFC 3339, in nanoseconds.
import type { DurationValue, TimestampValue } from './value.ts';

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const part = /(\d{0,20})(?:\.(\d{0,20}))?(ns|us|µs|μs|ms|s|m|h)/y;
const longest = 2n ** 63n - 1n;

/** Such as `1h30m`, `-1.5s`; undefined for anything else and for more than 290 years. */
export function parseDuration(text: string): DurationValue | undefined {
  const negative = text.startsWith('-');
  const rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') {
    return { kind: 'duration', nanoseconds: 0n };
  }
  let total = 0n;
  let at = 0;
  do {
    part.lastIndex = at;
    const match = part.exec(rest);
    const [whole, digits = '', fraction = '', unit = ''] = match ?? [];
    if (whole === undefined || digits + fraction === '') {
      return undefined;
    }
    const scale = nanosecondsOf[unit] ?? 1n;
    total += BigInt(digits === '' ? 0 : digits) * scale;
    total += fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    at += whole.length;
  } while (at < rest.length);
  return total > longest ? undefined : { kind: 'duration', nanoseconds: negative ? -total : total };
}

const time = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** A time of RFC 3339; undefined for anything else. */
export function parseTimestamp(text: string): TimestampValue | undefined {
  const match = time.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  const daysIn = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number.isNaN(milliseconds) || Number(day) > daysIn || Number(hour) > 23) {
    return undefined;
  }
  return { kind: 'timestamp', nanoseconds: BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0')) };
}

/** As `string(duration)` prints: seconds with a fraction. */
export function formatDuration(value: DurationValue): string {
  const { nanoseconds } = value;
  const whole = nanoseconds / 1_000_000_000n;
  const fraction = (nanoseconds < 0n ? -nanoseconds : nanoseconds) % 1_000_000_000n;
  const sign = nanoseconds < 0n && whole === 0n ? '-' : '';
  return `${sign}${whole}${fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`}s`;
}

export function formatTimestamp(value: TimestampValue): string {
  const milliseconds = floorDivide(value.nanoseconds, 1_000_000n);
  const fraction = ((value.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number(milliseconds)).toISOString().slice(0, -'.000Z'.length);
  return `${seconds}${fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`}Z`;
}

export function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right < 0n ? quotient - 1n : quotient;
}
