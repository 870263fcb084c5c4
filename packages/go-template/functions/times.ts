// Times in Go's layouts, whose reference time is Mon Jan 2 15:04:05 MST 2006. https://pkg.go.dev/time#pkg-constants

import { floorDivide } from '@capi-serverless/apimachinery/timestamp';

export interface Time {
  /** The time since 1970, in UTC. */
  readonly nanoseconds: bigint;
  /** The number of seconds east of UTC. */
  readonly offset: number;
  readonly zone: string;
}

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  readonly afternoon: boolean | undefined;
  readonly yearDay: number | undefined;
  readonly offset: number;
  readonly zone: string;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const element =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|[.,]0+(?!\d)|[.,]9+(?!\d)|__2|002|_2(?!006)|0[1-6]|15|PM|pm|[1-5]/g;

const milliseconds = 1_000_000n;

/** The elements of the layout and the texts between the elements. */
function elementsOf(layout: string): readonly { readonly text: string; readonly isElement: boolean }[] {
  const parts: { readonly text: string; readonly isElement: boolean }[] = [];
  let at = 0;
  for (const match of layout.matchAll(element)) {
    parts.push({ text: layout.slice(at, match.index), isElement: false }, { text: match[0], isElement: true });
    at = match.index + match[0].length;
  }
  return [...parts, { text: layout.slice(at), isElement: false }].filter(({ text }) => text !== '');
}

function pad(value: number, width: number, fill = '0'): string {
  return String(value).padStart(width, fill);
}

function offsetText(offset: number, layout: string): string {
  if (layout.startsWith('Z') && offset === 0) {
    return 'Z';
  }
  const colon = layout.includes(':') ? ':' : '';
  const size = Math.abs(offset);
  const hours = `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 3600), 2)}`;
  const digits = layout.replaceAll(/[^0-9]/g, '').length;
  const minutes = digits > 2 ? colon + pad(Math.floor(size / 60) % 60, 2) : '';
  return hours + minutes + (digits > 4 ? colon + pad(size % 60, 2) : '');
}

export function formatTime({ nanoseconds, offset, zone }: Time, layout: string): string {
  const local = nanoseconds + BigInt(offset) * 1_000_000_000n;
  const date = new Date(Number(floorDivide(local, milliseconds)));
  const nanosecond = Number(((local % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
  const time = { date, nanosecond, offset, zone };
  const known = knownTexts(time);
  return elementsOf(layout)
    .map(({ text, isElement }) => (isElement ? shown(text, time, known) : text))
    .join('');
}

interface LocalTime {
  readonly date: Date;
  readonly nanosecond: number;
  readonly offset: number;
  readonly zone: string;
}

/** The texts of the elements without a fraction or an offset. */
function knownTexts({ date, offset, zone }: LocalTime): Readonly<Record<string, string>> {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const yearDay =
    Math.floor((Date.UTC(2000, month, day) - Date.UTC(2000, 0, 0)) / 86_400_000) - (isLeap(year) || month < 2 ? 0 : 1);
  return {
    January: months[month] ?? '',
    Jan: (months[month] ?? '').slice(0, 3),
    Monday: weekdays[date.getUTCDay()] ?? '',
    Mon: (weekdays[date.getUTCDay()] ?? '').slice(0, 3),
    MST: zone === '' ? offsetText(offset, '-0700') : zone,
    '2006': pad(year, 4),
    '06': pad(year % 100, 2),
    '01': pad(month + 1, 2),
    '1': String(month + 1),
    '02': pad(day, 2),
    _2: pad(day, 2, ' '),
    '2': String(day),
    '002': pad(yearDay, 3),
    __2: pad(yearDay, 3, ' '),
    '15': pad(hour, 2),
    '03': pad(hour % 12 || 12, 2),
    '3': String(hour % 12 || 12),
    '04': pad(minute, 2),
    '4': String(minute),
    '05': pad(second, 2),
    '5': String(second),
    PM: hour < 12 ? 'AM' : 'PM',
    pm: hour < 12 ? 'am' : 'pm',
  };
}

function shown(text: string, { nanosecond, offset }: LocalTime, known: Readonly<Record<string, string>>): string {
  if (/^[.,]/.test(text)) {
    const digits = pad(nanosecond, 9).slice(0, text.length - 1);
    const kept = text.includes('9') ? digits.replace(/(?<!0)0+$/, '') : digits;
    return kept === '' ? '' : `${text[0]}${kept}`;
  }
  return known[text] ?? offsetText(offset, text);
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** The parser of each element. */
const readers: Readonly<
  Record<string, { readonly pattern: RegExp; readonly read: (text: string) => Partial<Fields> }>
> = {
  '2006': { pattern: /\d{4}/y, read: text => ({ year: Number(text) }) },
  '06': {
    pattern: /\d\d/y,
    read: text => ({ year: Number(text) + (Number(text) >= 69 ? 1900 : 2000) }),
  },
  '01': { pattern: /\d\d/y, read: text => ({ month: Number(text) }) },
  '1': { pattern: /\d\d?/y, read: text => ({ month: Number(text) }) },
  '02': { pattern: /\d\d/y, read: text => ({ day: Number(text) }) },
  _2: { pattern: / ?\d\d?/y, read: text => ({ day: Number(text) }) },
  '2': { pattern: /\d\d?/y, read: text => ({ day: Number(text) }) },
  '002': { pattern: /\d{3}/y, read: text => ({ yearDay: Number(text) }) },
  __2: { pattern: /[ \d]{3}/y, read: text => ({ yearDay: Number(text) }) },
  '15': { pattern: /\d\d?/y, read: text => ({ hour: Number(text) }) },
  '03': { pattern: /\d\d/y, read: text => ({ hour: Number(text) }) },
  '3': { pattern: /\d\d?/y, read: text => ({ hour: Number(text) }) },
  '04': { pattern: /\d\d/y, read: text => ({ minute: Number(text) }) },
  '4': { pattern: /\d\d?/y, read: text => ({ minute: Number(text) }) },
  '05': { pattern: /\d\d(?:[.,]\d+)?/y, read: readSeconds },
  '5': { pattern: /\d\d?(?:[.,]\d+)?/y, read: readSeconds },
  PM: { pattern: /AM|PM/y, read: text => ({ afternoon: text === 'PM' }) },
  pm: { pattern: /am|pm/y, read: text => ({ afternoon: text === 'pm' }) },
  January: { pattern: new RegExp(months.join('|'), 'iy'), read: readMonth },
  Jan: { pattern: new RegExp(months.map(month => month.slice(0, 3)).join('|'), 'iy'), read: readMonth },
  Monday: { pattern: new RegExp(weekdays.join('|'), 'iy'), read: () => ({}) },
  Mon: { pattern: new RegExp(weekdays.map(day => day.slice(0, 3)).join('|'), 'iy'), read: () => ({}) },
  MST: { pattern: /[A-Z]{3,4}/y, read: text => ({ zone: text }) },
};

function readSeconds(text: string): Partial<Fields> {
  const [whole, fraction = ''] = text.split(/[.,]/);
  return { second: Number(whole), nanosecond: Number(fraction.slice(0, 9).padEnd(9, '0')) };
}

function readMonth(text: string): Partial<Fields> {
  const start = text.slice(0, 3).toLowerCase();
  return { month: months.findIndex(month => month.toLowerCase().startsWith(start)) + 1 };
}

const fractionPattern = /[.,]\d+/y;

function readerOf(text: string, next: string) {
  if (/^0?5$/.test(text) && /^[.,][09]/.test(next)) {
    return { pattern: /\d\d?/y, read: readSeconds };
  }
  const known = readers[text];
  if (known !== undefined) {
    return known;
  }
  if (/^[.,]/.test(text)) {
    const isOptional = text.includes('9');
    return {
      pattern: isOptional ? /(?:[.,]\d+)?/y : fractionPattern,
      read: (text: string) => ({ nanosecond: Number(text.slice(1, 10).padEnd(9, '0')) }),
    };
  }
  return { pattern: offsetPattern(text), read: readOffset };
}

function offsetPattern(text: string): RegExp {
  const digits = text.replaceAll(/[^0-9]/g, '').length;
  const colon = text.includes(':') ? ':' : '';
  const more = `${colon}\\d\\d`.repeat(digits / 2 - 1);
  return new RegExp(`${text.startsWith('Z') ? 'Z|' : ''}[+-]\\d\\d${more}`, 'y');
}

function readOffset(text: string): Partial<Fields> {
  if (text === 'Z') {
    return { zone: 'UTC' };
  }
  const [hours = 0, minutes = 0, seconds = 0] = [...text.replaceAll(':', '').slice(1).matchAll(/\d\d/g)].map(Number);
  const offset = (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
  return { offset, zone: offset === 0 ? 'UTC' : '' };
}

/** Returns UTC if the text contains no zone. Returns undefined if the text does not match the layout. */
export function parseTime(layout: string, text: string): Time | undefined {
  let fields: Fields = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    afternoon: undefined,
    yearDay: undefined,
    offset: 0,
    zone: 'UTC',
  };
  let at = 0;
  const parts = elementsOf(layout);
  for (const [index, { text: part, isElement }] of parts.entries()) {
    if (!isElement) {
      if (!text.startsWith(part, at)) {
        return undefined;
      }
      at += part.length;
      continue;
    }
    const { pattern, read } = readerOf(part, parts[index + 1]?.text ?? '');
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) {
      return undefined;
    }
    fields = { ...fields, ...read(match[0]) };
    at += match[0].length;
  }
  return at === text.length ? toTime(fields) : undefined;
}

function toTime({ afternoon, yearDay, ...fields }: Fields): Time | undefined {
  const { year, month, minute, second, nanosecond, offset, zone } = fields;
  const hour = afternoon === undefined ? fields.hour : (fields.hour % 12) + (afternoon ? 12 : 0);
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, yearDay === undefined ? month - 1 : 0, yearDay ?? fields.day);
  const isReal = yearDay !== undefined || (date.getUTCMonth() === month - 1 && date.getUTCDate() === fields.day);
  if (!isReal || hour > 23 || minute > 59 || second > 59) {
    return undefined;
  }
  const seconds = BigInt(date.getTime() / 1000) + BigInt(hour * 3600 + minute * 60 + second - offset);
  return { nanoseconds: seconds * 1_000_000_000n + BigInt(nanosecond), offset, zone };
}
