// Rules with excessive work. Each is refused at definition, or ends at a limit of counted work. No test uses a clock.
import { describe, expect, it } from 'vitest';
import { createBudget, limits, type StructuralSchema } from '../../../../packages/cel/index.ts';
import { broken, definitionProblems, ruled } from './rule.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const numbers = { type: 'array', items: { type: 'integer' } };
const bounded = (most: number): StructuralSchema => ({ ...numbers, maxItems: most });

function repeated(part: string, times: number, between = ''): string {
  return Array<string>(times).fill(part).join(between);
}

function nested(levels: number): StructuralSchema {
  let schema: StructuralSchema = ruled({ type: 'integer' }, 'self > 0');
  for (let level = 0; level < levels; level += 1) {
    schema = { type: 'object', properties: { a: schema } };
  }
  return schema;
}

describe('rules that are refused at definition', () => {
  it.each([
    {
      reason: 'three nested loops over an unbounded list',
      schema: ruled(numbers, 'self.all(x, self.all(y, self.all(z, x + y + z > 0)))'),
      says: 'exceeds budget by factor of more than 100x',
    },
    {
      reason: 'a loop in a loop over long texts',
      schema: ruled(texts, 'self.all(x, self.all(y, x.contains(y)))'),
      says: 'exceeds budget by factor of more than 100x',
    },
    {
      reason: 'a cheap rule on every item of lists of lists',
      schema: {
        type: 'array',
        items: { type: 'array', items: ruled({ ...text, maxLength: 1000 }, "self.matches('^(a|b)*$')") },
      },
      says: 'estimated rule cost exceeds budget',
    },
    {
      reason: 'a long text for every character',
      schema: ruled(text, "self.replace('', self).size() > 0 && self.replace('', self).contains(self)"),
      says: 'estimated rule cost exceeds budget',
    },
    {
      reason: 'many rules, each of them cheap enough',
      schema: ruled(bounded(1_500_000), ...Array<string>(40).fill('self.all(x, x > 0)')),
      says: 'x-kubernetes-validations estimated rule & messageExpression cost total for entire OpenAPIv3 schema exceeds',
    },
    {
      reason: 'a message that costs more than the rule',
      schema: ruled(texts, { rule: 'true', messageExpression: "self.join(self.join(','))" }),
      says: 'estimated messageExpression cost exceeds budget',
    },
    {
      reason: 'parentheses within parentheses',
      schema: ruled(text, `${repeated('(', 5000)}true${repeated(')', 5000)}`),
      says: 'Exceeded maxDepth',
    },
    {
      reason: 'a hundred thousand negations',
      schema: ruled(text, `${repeated('!', 99_990)}true`),
      says: 'nests deeper',
    },
    { reason: 'a long chain of sums', schema: ruled(text, `${repeated('1', 5000, '+')} > 0`), says: 'nests deeper' },
    { reason: 'a long path', schema: ruled({ type: 'object' }, `self${repeated('.a', 5000)} == 1`), says: 'maxDepth' },
    {
      reason: 'lists within lists',
      schema: ruled(text, `${repeated('[', 1000)}${repeated(']', 1000)}.size() > 0`),
      says: 'maxDepth',
    },
    { reason: 'a huge list', schema: ruled(text, `[${repeated('1', 30_000, ',')}].size() > 0`), says: 'Exceeded max' },
    { reason: 'a huge text', schema: ruled(text, `self == '${repeated('a', 200_000)}'`), says: 'longer than 100000' },
    {
      reason: 'a repetition of repetitions',
      schema: ruled(text, "self.matches('((a{100}){100}){100}')"),
      says: 'invalid matches argument',
    },
    {
      reason: 'a schema that nests deeper than any known one',
      schema: nested(5000),
      says: 'schema nests deeper than 500 levels',
    },
    {
      reason: 'integers beyond all bounds',
      schema: ruled(text, `${repeated('9', 5000)} > 0`),
      says: 'compilation failed',
    },
  ])('$reason', ({ schema, says }) => {
    expect(definitionProblems(schema).join('\n')).toContain(says);
  });
});

interface Endless {
  readonly reason: string;
  readonly schema: StructuralSchema;
  readonly value: unknown;
}

const long = 'a'.repeat(1_000_000);

describe('rules that end by a limit while they run', () => {
  it.each<Endless>([
    {
      reason: 'a loop in a loop',
      schema: ruled(bounded(1200), 'self.all(x, self.all(y, x >= y))'),
      value: Array<number>(1200).fill(1),
    },
    {
      reason: 'a regular expression from the object, compiled in every iteration',
      schema: ruled(
        { type: 'object', properties: { list: bounded(1000), text: { ...text, maxLength: 100 } } },
        'self.list.all(x, !self.text.matches(self.text))',
      ),
      value: { list: Array<number>(1000).fill(1), text: '(a|b){100}' },
    },
    {
      reason: 'the length of a long text in every iteration',
      schema: ruled(
        { type: 'object', properties: { list: bounded(1000), text } },
        'self.list.all(x, self.text.size() > x)',
      ),
      value: { list: Array<number>(1000).fill(1), text: long },
    },
    {
      reason: 'a character of a long text in every iteration',
      schema: ruled(
        { type: 'object', properties: { list: bounded(1000), text } },
        "self.list.all(x, self.text.charAt(x) == 'a')",
      ),
      value: { list: Array<number>(1000).fill(1), text: `${long}é` },
    },
    {
      reason: 'texts that double with every step',
      schema: ruled(text, `[self]${repeated('.map(x, x + x)', 60)}.size() == 1`),
      value: 'a',
    },
    {
      reason: 'lists that double with every step',
      schema: ruled(bounded(100), `[self]${repeated('.map(x, x + x)', 60)}.size() == 1`),
      value: [1],
    },
    {
      reason: 'numbers from nothing',
      schema: ruled({ type: 'integer' }, 'lists.range(self).size() == 0'),
      value: 2 ** 50,
    },
    {
      reason: 'equality of large objects in every iteration',
      schema: ruled(
        { type: 'object', properties: { list: bounded(50), one: bounded(100_000), other: bounded(100_000) } },
        'self.list.all(x, dyn(self.one) == dyn(self.other))',
      ),
      value: {
        list: Array<number>(50).fill(1),
        one: Array<number>(100_000).fill(1),
        other: Array<number>(100_000).fill(1),
      },
    },
    {
      reason: 'a text replaced by itself',
      schema: ruled({ ...text, maxLength: 20_000 }, "self.replace('', self).size() == 1"),
      value: 'a'.repeat(20_000),
    },
  ])('$reason', ({ schema, value }) => {
    const budget = createBudget();
    const problems = broken(schema, { value }, budget);
    expect(problems.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('operation cancelled: actual cost limit exceeded'),
    ]);
    // Work is charged before it is done, so only the last charge exceeds the limit of one rule.
    expect(budget.remaining()).toBeGreaterThanOrEqual(0);
    expect(limits.object - budget.remaining()).toBeLessThanOrEqual(limits.object);
  });

  it('many rules on one object end by their common limit, and no further rule runs', () => {
    const schema = ruled(bounded(400), ...Array<string>(40).fill('self.all(x, self.all(y, x >= y))'));
    const budget = createBudget();
    const problems = broken(schema, { value: Array<number>(400).fill(1) }, budget);
    expect(problems.map(({ detail }) => detail)).toEqual([
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
    expect(budget.remaining()).toBe(0);
  });

  it('a value that nests too deep is refused before any rule runs', () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) {
      value = [value];
    }
    const schema = ruled({ 'x-kubernetes-preserve-unknown-fields': true }, 'true');
    expect(broken(schema, { value }).map(({ detail }) => detail)).toEqual(['value nests deeper than 500 levels']);
  });

  it('the same rule costs the same on the same value, regardless of earlier rules', () => {
    const schema = ruled(
      { type: 'array', maxItems: 10, items: { ...text, maxLength: 10 } },
      "self.all(x, x.matches('^[a-z]+$') && x.matches(x))",
    );
    const spent = (): number => {
      const budget = createBudget();
      expect(broken(schema, { value: ['abc', 'def'] }, budget)).toEqual([]);
      return limits.object - budget.remaining();
    };
    expect([spent(), spent(), spent()]).toEqual([spent(), spent(), spent()]);
  });
});
