// RFC 3339 times as Kubernetes writes them: UTC, whole seconds, "Z".
import { type Checked, invalid, valid } from '../api/checked.ts';
import type { Instant } from '../api/object.ts';

const layout = '2006-01-02T15:04:05Z07:00';

interface Element {
  /** Its spelling in the layout, which the error names. */
  readonly spelling: string;
  /** Sticky: it holds where the element before it ended. */
  readonly pattern: RegExp;
  readonly range?: { readonly name: string; readonly from: number; readonly to: number };
}

/** What Go's time package reads for that layout: a one-digit hour and a fraction of a second included. */
const elements: readonly Element[] = [
  { spelling: '2006', pattern: /\d{4}/y },
  { spelling: '-', pattern: /-/y },
  { spelling: '01', pattern: /\d\d/y, range: { name: 'month', from: 1, to: 12 } },
  { spelling: '-', pattern: /-/y },
  { spelling: '02', pattern: /\d\d/y },
  { spelling: 'T', pattern: /T/y },
  { spelling: '15', pattern: /\d\d?/y, range: { name: 'hour', from: 0, to: 23 } },
  { spelling: ':', pattern: /:/y },
  { spelling: '04', pattern: /\d\d/y, range: { name: 'minute', from: 0, to: 59 } },
  { spelling: ':', pattern: /:/y },
  { spelling: '05', pattern: /\d\d(?:[.,]\d+)?/y, range: { name: 'second', from: 0, to: 59 } },
  { spelling: 'Z07:00', pattern: /(?:Z|[+-]\d\d:\d\d)/y },
];

/** The instant's text, truncated to its whole second. */
export function toTimestamp(instant: Instant): string {
  return `${new Date(Math.floor(instant / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Reads an RFC 3339 time; the error is worded as Go's time package words it, because it ends up in conditions. */
export function parseTimestamp(text: string): Checked<Instant> {
  const parts = splitTimestamp(text);
  if (!parts.ok) {
    return parts;
  }
  const [year, , month, , day, , hour, , minute, , second, zone] = parts.value;
  const midnight = new Date(`${year}-${month}-01T00:00:00Z`);
  midnight.setUTCDate(Number(day));
  if (midnight.getUTCMonth() + 1 !== Number(month)) {
    return invalid(`parsing time ${JSON.stringify(text)}: day out of range`);
  }
  const seconds = Number(String(second).replace(',', '.'));
  const time = Number(hour) * 3_600_000 + Number(minute) * 60_000 + Math.floor(seconds * 1000);
  return valid(midnight.getTime() + time - offsetMsOf(String(zone)));
}

/** An empty or unreadable time is older than any other. */
export function timeOf(text: string | undefined): Instant {
  const parsed = parseTimestamp(text ?? '');
  return parsed.ok ? parsed.value : Number.MIN_SAFE_INTEGER;
}

function splitTimestamp(text: string): Checked<readonly string[]> {
  const parts: string[] = [];
  let at = 0;
  for (const { spelling, pattern, range } of elements) {
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0];
    if (part === undefined) {
      const rest = JSON.stringify(text.slice(at));
      return invalid(`parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${rest} as "${spelling}"`);
    }
    if (range !== undefined && !isWithin(Number.parseInt(part, 10), range)) {
      return invalid(`parsing time ${JSON.stringify(text)}: ${range.name} out of range`);
    }
    parts.push(part);
    at += part.length;
  }
  return at === text.length
    ? valid(parts)
    : invalid(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(text.slice(at))}`);
}

function isWithin(number: number, range: { readonly from: number; readonly to: number }): boolean {
  return number >= range.from && number <= range.to;
}

function offsetMsOf(zone: string): number {
  // "Z" holds no digits, which read as zero.
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
