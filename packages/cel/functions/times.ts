// Parts of times and durations. Times without a zone are in UTC.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#datetime-functions
import { floorDivide } from '@capi-serverless/apimachinery/timestamp';
import { asDuration, asText, asTimestamp, define, type Overload } from '../overload.ts';
import { exactly } from '../range.ts';
import { type CelValue, EvaluationProblem, type TimestampValue } from '../value.ts';

const perMinute = 60_000;
/** The cost of a conversion to another time zone. */
const zoneWork = 20;

/** Returns the wall-clock time in the zone, as a date in UTC. */
function inZone(value: TimestampValue, zone: string): Date {
  const milliseconds = Number(floorDivide(value.nanoseconds, 1_000_000n));
  const offset = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(milliseconds + (offset[1] === '-' ? -minutes : minutes) * perMinute);
  }
  return zone === 'UTC' ? new Date(milliseconds) : namedZone(milliseconds, zone);
}

/**
 * The cache of formats, because their creation is slow. Names are compared in lower case, so that all spellings of a
 * zone use the same format. Formats are never dropped. Their number is limited by the number of zones.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const byName = new Map<string, Intl.DateTimeFormat>();
/** The maximum length of a zone name. */
const longestName = 64;

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (timeZone.length > longestName) {
    return undefined;
  }
  const name = timeZone.toLowerCase();
  const known = byName.get(name);
  if (known !== undefined) {
    return known;
  }
  const made = makeFormat(name);
  if (made === undefined) {
    return undefined;
  }
  const zone = made.resolvedOptions().timeZone;
  const format = formats.get(zone) ?? made;
  formats.set(zone, format);
  byName.set(name, format);
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
  try {
    const options = { ...numeric, timeZone, hourCycle: 'h23', minute: 'numeric', second: 'numeric' } as const;
    return new Intl.DateTimeFormat('en-US', options);
  } catch {
    return undefined;
  }
}

function namedZone(milliseconds: number, timeZone: string): Date {
  const parts = formatOf(timeZone)?.formatToParts(new Date(milliseconds));
  if (parts === undefined) {
    throw new EvaluationProblem(`unknown time zone ${timeZone}`);
  }
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map(type => Number(parts.find(part => part.type === type)?.value ?? 0));
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ((milliseconds % 1000) + 1000) % 1000));
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start) / (24 * 60 * perMinute));
}

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: date => date.getUTCFullYear(),
  getMonth: date => date.getUTCMonth(),
  getDate: date => date.getUTCDate(),
  getDayOfMonth: date => date.getUTCDate() - 1,
  getDayOfWeek: date => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: date => date.getUTCHours(),
  getMinutes: date => date.getUTCMinutes(),
  getSeconds: date => date.getUTCSeconds(),
  getMilliseconds: date => date.getUTCMilliseconds(),
};

const spans: readonly (readonly [name: string, nanoseconds: bigint, modulo?: bigint])[] = [
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n, 1000n],
];

export const times: readonly Overload[] = [
  ...Object.entries(parts).flatMap(([name, read]) => [
    define(`google.protobuf.Timestamp.${name}(): int`, ([time]) => BigInt(read(inZone(asTimestamp(time), 'UTC')))),
    define(
      `google.protobuf.Timestamp.${name}(string): int`,
      ([time, zone]): CelValue => BigInt(read(inZone(asTimestamp(time), asText(zone)))),
      { work: () => exactly(zoneWork) },
    ),
  ]),
  ...spans.map(([name, unit, modulo]) =>
    define(`google.protobuf.Duration.${name}(): int`, ([span]) => {
      const whole = asDuration(span).nanoseconds / unit;
      return modulo === undefined ? whole : whole % modulo;
    }),
  ),
];
