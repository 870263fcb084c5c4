// Dates, times and durations in formats (RFC 3339, and durations with units).
import { parseDuration } from '../duration.ts';

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

/** As in Kubernetes, offsets are not checked, and any character may separate seconds and fraction. */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.[0-9]+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time ?? '');
  const [hour = '', minute = '', second = ''] = match?.slice(1) ?? [];
  return match !== null && isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
}

/** The last spelling of a unit also matches all words that begin with it. */
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

/** Matches a Go duration such as "1h30m", or numbers with unit words such as "2 days" anywhere in the text. */
export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined || isWordDuration(text);
}

function isWordDuration(text: string): boolean {
  const words = [...text.matchAll(/(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/gu)];
  return (
    words.every(([, count]) => Number(count) < 2 ** 63) &&
    words.some(([, , unit = '']) => isWordUnit(unit.toLowerCase()))
  );
}

function isWordUnit(unit: string): boolean {
  return wordUnits.some(([spellings, word]) => spellings.includes(unit) || unit.startsWith(word));
}
