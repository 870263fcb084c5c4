import { expect, it } from 'vitest';
import { sprigFunctionNames } from '../../../../packages/go-template/function-names.ts';
import { workOfOperands } from '../../../../packages/go-template/operand-work.ts';
import { Dict, List } from '../../../../packages/go-template/value.ts';

const illFormed = 'a\udcff';

it.each([
  { name: 'trunc', args: ['abcd', 4], work: 0, reason: 'a call pays for its characters' },
  { name: 'title', args: ['abcd', 4], work: 64, reason: 'each character is mapped' },
  { name: 'quote', args: [new List(['a', 1, 'cde'])], work: 112, reason: 'elements, and characters of their texts' },
  {
    name: 'quote',
    args: [new Dict(new Map([['a', 'b']]))],
    work: 32,
    reason: 'entries, and characters of their texts',
  },
  { name: 'trunc', args: [illFormed], work: 24, reason: 'bytes that are not UTF-8' },
  { name: 'title', args: [illFormed, illFormed], work: 112, reason: 'both, of each argument' },
  { name: 'max', args: [1, 2, 3], work: 96, reason: 'numbers' },
  { name: 'subf', args: [1, 2], work: 512, reason: 'exact decimals' },
  { name: 'sub', args: [1, 2], work: 0, reason: 'a call pays for its arguments' },
])('$name pays $work units more: $reason', ({ name, args, work }) => {
  expect(workOfOperands(name, args)).toBe(work);
});

it.each(
  'title untitle swapcase initials upper lower nospace snakecase kebabcase camelcase squote quote urlParse urlJoin mustDateModify must_date_modify duration durationRound semverCompare abbrev abbrevboth trimAll trimall wrap wrapWith'.split(
    ' ',
  ),
)('%s is a function', name => {
  expect(sprigFunctionNames).toContain(name);
  expect(workOfOperands(name, ['a'])).toBe(16);
});

it.each('add max biggest min maxf minf mul add1f addf subf mulf divf'.split(' '))(
  '%s is a function of numbers',
  name => {
    expect(sprigFunctionNames).toContain(name);
    expect(workOfOperands(name, [1])).toBeGreaterThan(0);
  },
);

it.each(['js', 'html', 'urlquery', 'printf'])('%s maps characters', name => {
  expect(workOfOperands(name, ['a'])).toBe(16);
});
