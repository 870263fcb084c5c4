// Durations in the format of tables: at most two units, with coarser rounding for longer durations. Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Returns the time since `time`: `10s`, `2m20s`, `3h`, `5d`. Absent: `<unknown>`. Not a time: `<invalid>`. */
export function toAge(time: unknown, now: Instant): string {
  if (time === undefined || time === null || time === '') {
    return '<unknown>';
  }
  const at = instantOf(time);
  return at === undefined ? '<invalid>' : toDuration(Math.floor((now - at) / 1000));
}

function toDuration(seconds: number): string {
  if (seconds < -1) {
    return '<invalid>';
  }
  if (seconds < 2 * minute) {
    return `${Math.max(seconds, 0)}s`;
  }
  if (seconds < 10 * minute) {
    return two(seconds, [minute, 'm'], [1, 's']);
  }
  if (seconds < 3 * hour) {
    return `${Math.floor(seconds / minute)}m`;
  }
  if (seconds < 8 * hour) {
    return two(seconds, [hour, 'h'], [minute, 'm']);
  }
  if (seconds < 2 * day) {
    return `${Math.floor(seconds / hour)}h`;
  }
  if (seconds < 8 * day) {
    return two(seconds, [day, 'd'], [hour, 'h']);
  }
  if (seconds < 2 * year) {
    return `${Math.floor(seconds / day)}d`;
  }
  return seconds < 8 * year ? two(seconds, [year, 'y'], [day, 'd']) : `${Math.floor(seconds / year)}y`;
}

type Unit = readonly [seconds: number, letter: string];

function two(seconds: number, [large, one]: Unit, [small, other]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${one}${rest === 0 ? '' : `${rest}${other}`}`;
}
