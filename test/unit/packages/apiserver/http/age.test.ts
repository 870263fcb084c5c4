import { describe, expect, it } from 'vitest';
import { toAge } from '../../../../../packages/apiserver/http/age.ts';

describe('the age of an object', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const minute = 60;
  const hour = 60 * minute;
  const day = 24 * hour;
  it.each([
    [0, '0s'],
    [119, '119s'],
    [2 * minute + 20, '2m20s'],
    [5 * minute, '5m'],
    [10 * minute, '10m'],
    [3 * hour, '3h'],
    [3 * hour + 5 * minute, '3h5m'],
    [47 * hour, '47h'],
    [2 * day + hour, '2d1h'],
    [8 * day, '8d'],
    [365 * day, '365d'],
    [3 * 365 * day + 4 * day, '3y4d'],
    [9 * 365 * day + day, '9y'],
  ])('of %d seconds is %s', (seconds, age) => {
    expect(toAge(new Date(now - seconds * 1000).toISOString(), now)).toBe(age);
  });

  it.each([
    [undefined, '<unknown>'],
    [null, '<unknown>'],
    ['soon', '<invalid>'],
    [5, '<invalid>'],
    ['2027-01-01T00:00:00Z', '<invalid>'],
  ])('of %j is %s', (time, age) => {
    expect(toAge(time, now)).toBe(age);
  });
});
