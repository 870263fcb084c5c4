import { expect, it } from 'vitest';
import { matchesClassName } from '../../../../../shared/topology/model/class-name-pattern.ts';

it.each([
  { pattern: 'workers', matches: true, reason: 'the name itself' },
  { pattern: 'worker', matches: false, reason: 'only the beginning of the name, without a star' },
  { pattern: 'orkers', matches: false, reason: 'only the end of the name, without a star' },
  { pattern: '*', matches: true, reason: 'a star alone' },
  { pattern: 'work*', matches: true, reason: 'a prefix' },
  { pattern: 'workers*', matches: true, reason: 'the whole name as prefix' },
  { pattern: 'orkers*', matches: false, reason: 'a prefix that occurs later in the name' },
  { pattern: '*kers', matches: true, reason: 'a suffix' },
  { pattern: '*work', matches: false, reason: 'a suffix that occurs earlier in the name' },
  { pattern: 'wor*ers', matches: false, reason: 'a star in the middle, which matches nothing' },
])('a pattern of class names: $pattern is $reason', ({ pattern, matches }) => {
  expect(matchesClassName('workers', pattern)).toBe(matches);
});
