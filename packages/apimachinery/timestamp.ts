// RFC 3339 times as Go and Kubernetes read and write them.
import { type Checked, invalid, mapChecked, valid } from './checked.ts';
import type { Instant } from './object.ts';

const layout = '2006-01-02T15:04:05Z07:00';
const nanosecondsPerMs = 1_000_000n;
const nanosecondsPerSecond = 1_000_000_000n;

interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Element {
  /** The text of the element in the layout. Errors contain it. */
  readonly spelling: string;
  /** The expression is sticky: it matches at the end of the previous element. */
  readonly pattern: RegExp;
  /** The range of the number, or of each number of an offset. */
  readonly ranges?: readonly Range[];
}

/** The forms that Go's time package accepts for this layout, including a one-digit hour and a fraction of a second. */
const elements: readonly Element[] = [
  { spelling: '2006', pattern: /\d{4}/y },
  { spelling: '-', pattern: /-/y },
  { spelling: '01', pattern: /\d\d/y, ranges: [{ name: 'month', from: 1, to: 12 }] },
  { spelling: '-', pattern: /-/y },
  { spelling: '02', pattern: /\d\d/y },
  { spelling: 'T', pattern: /T/y },
  { spelling: '15', pattern: /\d\d?/y, ranges: [{ name: 'hour', from: 0, to: 23 }] },
  { spelling: ':', pattern: /:/y },
  { spelling: '04', pattern: /\d\d/y, ranges: [{ name: 'minute', from: 0, to: 59 }] },
  { spelling: ':', pattern: /:/y },
  { spelling: '05', pattern: /\d\d(?:[.,]\d+)?/y, ranges: [{ name: 'second', from: 0, to: 59 }] },
  {
    spelling: 'Z07:00',
    pattern: /(?:Z|[+-]\d\d:\d\d)/y,
    // Go accepts both limits, because some programs write offsets of 24 hours or 60 minutes.
    ranges: [
      { name: 'time zone offset hour', from: 0, to: 24 },
      { name: 'time zone offset minute', from: 0, to: 60 },
    ],
  },
];

/** The form that Kubernetes writes. */
const plainForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Returns truncated milliseconds. The error has the wording of Go's time package, because it appears in conditions. */
export function parseTimestamp(text: string): Checked<Instant> {
  const plain = plainForm.test(text) ? Date.parse(text) : Number.NaN;
  // JavaScript accepts days that a month does not have, and hour 24. It writes them as another time.
  if (!Number.isNaN(plain) && toTimestamp(plain) === text) {
    return valid(plain);
  }
  return mapChecked(parseNanoseconds(text), nanoseconds => Number(floorDivide(nanoseconds, nanosecondsPerMs)));
}

/** Returns `undefined` if there is no time, or if it cannot be parsed. */
export function instantOf(text: unknown): Instant | undefined {
  const parsed = typeof text === 'string' ? parseTimestamp(text) : undefined;
  return parsed?.ok === true ? parsed.value : undefined;
}

/** The nanoseconds since the epoch. */
export function parseNanoseconds(text: string): Checked<bigint> {
  const parts = splitTimestamp(text);
  if (!parts.ok) {
    return parts;
  }
  const [year, , month, , day, , hour, , minute, , second = '', zone = ''] = parts.value;
  const midnight = new Date(`${year}-${month}-01T00:00:00Z`);
  midnight.setUTCDate(Number(day));
  if (midnight.getUTCMonth() + 1 !== Number(month)) {
    return invalid(`parsing time ${quoteBytes(text)}: day out of range`);
  }
  const [wholeSecond, fraction = ''] = second.split(/[.,]/);
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(wholeSecond) - offsetSecondsOf(zone);
  const nanoseconds = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return valid(BigInt(midnight.getTime() / 1000 + seconds) * nanosecondsPerSecond + nanoseconds);
}

function splitTimestamp(text: string): Checked<readonly string[]> {
  const parts: string[] = [];
  let at = 0;
  for (const { spelling, pattern, ranges = [] } of elements) {
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0];
    if (part === undefined) {
      const rest = quoteBytes(text.slice(at));
      return invalid(`parsing time ${quoteBytes(text)} as "${layout}": cannot parse ${rest} as "${spelling}"`);
    }
    const wrong = findWrong(part, ranges);
    if (wrong !== undefined) {
      return invalid(`parsing time ${quoteBytes(text)}: ${wrong} out of range`);
    }
    parts.push(part);
    at += part.length;
  }
  return at === text.length
    ? valid(parts)
    : invalid(`parsing time ${quoteBytes(text)}: extra text: ${quoteBytes(text.slice(at))}`);
}

/** Bytes outside printable ASCII are escaped, as in Go's errors about times. */
function quoteBytes(text: string): string {
  const escaped = text.replace(/["\\]/g, String.raw`\$&`).replace(/[^ -~\u007f]+/gu, escapeBytes);
  return `"${escaped}"`;
}

function escapeBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), byte => String.raw`\x${byte.toString(16).padStart(2, '0')}`).join(
    '',
  );
}

/** Returns the last number that is out of its range. "Z" has no numbers. The fraction of a second has no range. */
function findWrong(part: string, ranges: readonly Range[]): string | undefined {
  const numbers = part.match(/\d+/g)?.map(Number) ?? [];
  return ranges.findLast(({ from, to }, index) => Number(numbers[index]) < from || Number(numbers[index]) > to)?.name;
}

function offsetSecondsOf(zone: string): number {
  // "Z" has no digits, so the result is zero.
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60;
}

/** Formats `metav1.Time` in JSON: UTC, whole seconds. */
export function toTimestamp(instant: Instant): string {
  return `${new Date(Math.floor(instant / 1000) * 1000).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** Formats `metav1.MicroTime` in JSON: UTC, six fractional digits. */
export function toMicroTime(nanoseconds: bigint): string {
  return print(nanoseconds, fractionOf(nanoseconds).slice(0, 6));
}

/** Formats a time in UTC with the required number of fractional digits. */
export function toNanoTimestamp(nanoseconds: bigint): string {
  return print(nanoseconds, fractionOf(nanoseconds).replace(/(?<!0)0+$/, ''));
}

function print(nanoseconds: bigint, fraction: string): string {
  const whole = toTimestamp(Number(floorDivide(nanoseconds, nanosecondsPerSecond)) * 1000);
  return fraction === '' ? whole : whole.replace('Z', `.${fraction}Z`);
}

function fractionOf(nanoseconds: bigint): string {
  const rest = nanoseconds - floorDivide(nanoseconds, nanosecondsPerSecond) * nanosecondsPerSecond;
  return String(rest).padStart(9, '0');
}

/** Rounds down to a multiple. */
export function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right < 0n ? quotient - 1n : quotient;
}
