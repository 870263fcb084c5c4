// Dates, times and durations in formats (RFC 3339, and durations with units).

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [year = 0, month = 0, day = 0] = match?.slice(1).map(Number) ?? [];
  const days = month === 2 && isLeap(year) ? 29 : (daysOfMonths[month - 1] ?? 0);
  return match !== null && day >= 1 && day <= days;
}

/** Offsets are not looked at, and between seconds and their fraction any character may stand. */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.[0-9]+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time ?? '');
  const [hour = '', minute = '', second = ''] = match?.slice(1) ?? [];
  return match !== null && isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
}

/** Nanoseconds of the units of Go. */
const goUnits: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Of the spellings of a unit the last also stands for all words that begin with it. */
const wordUnits: readonly (readonly [readonly string[], string])[] = [
  [['ns'], 'nano'],
  [['us', 'µs'], 'micro'],
  [['ms'], 'milli'],
  [['s'], 'sec'],
  [['m'], 'min'],
  [['h', 'hr'], 'hour'],
  [['d'], 'day'],
  [['w', 'wk'], 'week'],
];

/** "1h30m" as Go writes it, or numbers with words such as "2 days" somewhere in the text. */
export function isDuration(text: string): boolean {
  return isGoDuration(text) || isWordDuration(text);
}

function isGoDuration(text: string): boolean {
  const body = text.replace(/^[-+]/, '');
  const parts = [...body.matchAll(/([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/gy)];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  const total = parts.reduce((sum, [, whole = '', fraction = '', unit = '']) => {
    const size = Object.hasOwn(goUnits, unit) ? goUnits[unit] : undefined;
    return size === undefined || whole + fraction === '' ? Number.NaN : sum + Number(`0${whole}.${fraction}0`) * size;
  }, 0);
  return body === '0' || (parts.length > 0 && length === body.length && total <= 2 ** 63);
}

function isWordDuration(text: string): boolean {
  const words = [...text.matchAll(/([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/gu)];
  return (
    words.every(([, count]) => Number(count) < 2 ** 63) &&
    words.some(([, , unit = '']) => isWordUnit(unit.toLowerCase()))
  );
}

function isWordUnit(unit: string): boolean {
  return wordUnits.some(([spellings, word]) => spellings.includes(unit) || unit.startsWith(word));
}
