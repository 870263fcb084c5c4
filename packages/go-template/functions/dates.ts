// Durations, and times parsed from text. No function reads the clock. https://masterminds.github.io/sprig/date.html
import { parseDuration, printDuration } from '@capi-serverless/apimachinery/duration';
import { floorDivide } from '@capi-serverless/apimachinery/timestamp';
import { define, FunctionError, type FunctionTable } from '../call.ts';
import { goQuote } from '../quote.ts';
import { Int, int, int64, Opaque, type TemplateValue } from '../value.ts';
import { formatTime, parseTime, type Time } from './times.ts';

const nanosecondsPerSecond = 1_000_000_000n;

function secondsOf(value: TemplateValue): bigint {
  if (value instanceof Int) {
    return value.type === 'int64' ? value.value : 0n;
  }
  return typeof value === 'string' && /^[+-]?[0-9]{1,18}$/.test(value) ? BigInt(value.replace('+', '')) : 0n;
}

/** The units, largest first. */
const units = [
  { unit: 'y', hours: 24n * 365n },
  { unit: 'mo', hours: 24n * 30n },
  { unit: 'd', hours: 24n },
  { unit: 'h', hours: 1n },
] as const;

/** Returns the largest unit with a value of at least one. */
function rounded(value: TemplateValue): string {
  const nanoseconds =
    typeof value === 'string'
      ? (parseDuration(value) ?? 0n)
      : value instanceof Int && value.type === 'int64'
        ? value.value
        : 0n;
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const hour = 3600n * nanosecondsPerSecond;
  for (const { unit, hours } of units) {
    if (size > hours * hour) {
      return `${size / (hours * hour)}${unit}`;
    }
  }
  if (size > 60n * nanosecondsPerSecond) {
    return `${size / (60n * nanosecondsPerSecond)}m`;
  }
  return size > nanosecondsPerSecond ? `${size / nanosecondsPerSecond}s` : '0s';
}

function toOpaque(time: Time): Opaque {
  const number = (layout: string) => ({ params: [] as const, run: () => int(Number(formatTime(time, layout))) });
  return new Opaque({
    type: 'time.Time',
    content: time,
    text: formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST'),
    json: formatTime(time, '2006-01-02T15:04:05.999999999Z07:00'),
    methods: {
      Year: number('2006'),
      Day: number('2'),
      Hour: number('15'),
      Minute: number('4'),
      Second: number('5'),
      YearDay: number('002'),
      Unix: { params: [], run: () => int64(time.nanoseconds / nanosecondsPerSecond) },
      Format: {
        params: ['string'],
        run([layout], meter) {
          meter.spend(String(layout).length / formattedPerStep);
          return formatTime(time, String(layout));
        },
      },
    },
  });
}

function timeOf(value: Opaque): Time {
  return value.content as Time; // True: `toOpaque` sets this state.
}

/** Go's zero time: the first second of the year 1. */
const zero: Time = { nanoseconds: -62_135_596_800n * nanosecondsPerSecond, offset: 0, zone: 'UTC' };

function parsed(layout: string, text: string): Opaque {
  const time = parseTime(layout, text);
  if (time === undefined) {
    throw new FunctionError(`parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse`);
  }
  return toOpaque(time);
}

const durationCharactersPerStep = 8;
/** Each character of a layout may be an element. */
const formattedPerStep = 2;

const modify = define(['string', 'time'], ([text, value], meter) => {
  meter.spend(text.length / durationCharactersPerStep);
  const duration = parseDuration(text);
  if (duration === undefined) {
    throw new FunctionError(`time: invalid duration ${goQuote(text)}`);
  }
  const time = timeOf(value);
  return toOpaque({ ...time, nanoseconds: time.nanoseconds + duration });
});

export const dateFunctions: FunctionTable = {
  duration: define(['any'], ([value]) => printDuration(BigInt.asIntN(64, secondsOf(value) * nanosecondsPerSecond))),
  durationRound: define(['any'], ([value], meter) => {
    meter.spend(typeof value === 'string' ? value.length / durationCharactersPerStep : 0);
    return rounded(value);
  }),
  toDate: define(['string', 'string'], ([layout, text], meter) => {
    meter.spend(layout.length);
    return toOpaque(parseTime(layout, text) ?? zero);
  }),
  mustToDate: define(['string', 'string'], ([layout, text], meter) => {
    meter.spend(layout.length);
    return parsed(layout, text);
  }),
  mustDateModify: modify,
  must_date_modify: modify,
  unixEpoch: define(['time'], ([value]) => floorDivide(timeOf(value).nanoseconds, nanosecondsPerSecond).toString()),
};
