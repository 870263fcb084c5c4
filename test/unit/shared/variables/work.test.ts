// The cost of each check. The limits depend on it, because work that is not counted is not limited.

import { compileWork } from '@capi-serverless/apimachinery/pattern';
import { describe, expect, it } from 'vitest';
import { checkValue } from '../../../../shared/variables/check-value.ts';
import { problemsOfSchema } from '../../../../shared/variables/definition-schema.ts';
import { compilePattern } from '../../../../shared/variables/pattern.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { problemsOfStructure } from '../../../../shared/variables/structure.ts';
import { unknownFields } from '../../../../shared/variables/unknown-fields.ts';
import { problemsOfRules, rulesOf } from '../../../../shared/variables/validation-rules.ts';
import { stepsPerVisit, unitsPerStep, type Work } from '../../../../shared/variables/work.ts';

/** Returns the number of steps of a check. */
function stepsOf(check: (work: Work) => unknown): number {
  let steps = 0;
  check({ spend: more => (steps += more) });
  return steps;
}

const rules = (...list: readonly object[]) => ({ 'x-kubernetes-validations': list }) as VariableSchema; // true: each has a rule

const free: Work = { spend: () => undefined };
let patterns = 0;

/** A pattern that is not in the cache yet. */
function aNewPattern(): string {
  patterns += 1;
  return `counted-${String(patterns).padStart(6, '0')}`;
}

describe('the work of a check', () => {
  it.each([
    { schema: { type: 'boolean' }, value: true, steps: stepsPerVisit, reason: 'a value' },
    { schema: { type: 'boolean' }, value: null, steps: stepsPerVisit, reason: 'null' },
    { schema: { type: 'string' }, value: 'abcd', steps: stepsPerVisit + 4, reason: 'a text, for each character' },
    {
      schema: { type: 'integer', enum: [1, 2, null, 3] },
      value: 1,
      steps: stepsPerVisit + 3,
      reason: 'choices, for each but null',
    },
    {
      schema: { type: 'array', items: { type: 'boolean' } },
      value: [true, false],
      steps: 3 * stepsPerVisit,
      reason: 'a list and its items',
    },
    {
      schema: { type: 'array', uniqueItems: true },
      value: ['abc', 12],
      steps: stepsPerVisit + '"abc"'.length + '12'.length,
      reason: 'unique items, for their text as JSON',
    },
    {
      schema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'boolean' } } },
      value: { a: true, b: 1, c: 2 },
      steps: 2 * stepsPerVisit + 2 + 3,
      reason: 'an object, for its members, the required names and described members',
    },
    {
      schema: { type: 'boolean', allOf: [{}, {}], anyOf: [{}, {}], oneOf: [{}], not: {} },
      value: true,
      steps: stepsPerVisit * (1 + 2 + 1 + 1 + 1 + 1),
      reason: 'combinations, for each schema up to the first of anyOf that holds, and a problem',
    },
  ] as readonly { schema: VariableSchema; value: unknown; steps: number; reason: string }[])(
    'on a value counts $reason',
    ({ schema, value, steps }) => {
      expect(stepsOf(work => checkValue(value, schema, work))).toBe(steps);
    },
  );

  it('on a value counts each instruction of a pattern for each character', () => {
    const pattern = aNewPattern();
    const compiled = compilePattern(pattern, free);
    const instructions = compiled.ok ? compiled.value.instructions : 0;
    const steps = stepsOf(work => checkValue('abcd', { type: 'string', pattern }, work));
    const problem = stepsPerVisit;
    expect(steps).toBe(stepsPerVisit + problem + 4 + 4 * instructions + compileWork(pattern) / unitsPerStep);
    expect(instructions).toBeGreaterThan(pattern.length);
  });

  it('on unknown fields counts each value', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } };
    expect(stepsOf(work => unknownFields({ a: ['x', 'y'] }, schema, { path: '', work }))).toBe(4 * stepsPerVisit);
  });

  it('on the structure of a definition counts each schema, combinations included', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', not: { maxLength: 1 } } } };
    expect(stepsOf(work => problemsOfStructure(schema, 'f', work))).toBe(3 * stepsPerVisit);
  });

  it('on a definition counts each schema, and its examples as values', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', example: 'xyz' } } };
    const check = (work: Work) => problemsOfSchema({ schema, field: 'f', rules: undefined, work }, []);
    expect(stepsOf(check)).toBe(3 * stepsPerVisit + 3);
  });

  it('on a pattern counts its compilation once for each list', () => {
    const once = aNewPattern();
    const steps = stepsOf(work => compilePattern(once, work));
    expect(steps).toBe(compileWork(once) / unitsPerStep);
    const again = (work: Work) => [compilePattern(once, work), compilePattern(once, work)];
    expect(stepsOf(again)).toBe(steps);
  });

  it('on a rule counts the compilation of its expressions', () => {
    const ruled = (rule: string): VariableSchema => ({ type: 'string', maxLength: 9, ...rules({ rule }) });
    const [plain, classes] = ["self.matches('aaaaa')", "self.matches(r'\\pL')  "].map(rule =>
      stepsOf(work => rulesOf(ruled(rule), 'f', work)),
    );
    expect(classes).toBeGreaterThan((plain ?? 0) + 10_000);
  });

  it('on rules counts their length at every level', () => {
    const below = {
      type: 'object',
      properties: { a: { type: 'integer', ...rules({ rule: 'self>1', messageExpression: '"abc"' }) } },
      additionalProperties: { type: 'integer', ...rules({ rule: 'self>1' }) },
    };
    const schema: VariableSchema = { type: 'array', maxItems: 2, items: below, ...rules({ rule: 'true' }) };
    const alone: VariableSchema = { type: 'integer', ...rules({ rule: 'self>1' }) };
    const characters = 'self>1'.length * 2 + '"abc"'.length + 'true'.length;
    const perCharacter = stepsOf(work => rulesOf(alone, 'f', work)) / 'self>1'.length;
    expect(stepsOf(work => rulesOf(schema, 'f', work))).toBe(characters * perCharacter);
  });

  it('charges the cost of the rules of a value, and nothing for null or without rules', () => {
    const schema: VariableSchema = { type: 'string', ...rules({ rule: "self.startsWith('a')" }) };
    const { rules: compiledRules } = rulesOf(schema, 'f', free);
    const of = (value: unknown, ruled = compiledRules) => ({ value, old: undefined, rules: ruled, field: 'f' });
    const stepsFor = (value: unknown) => stepsOf(work => problemsOfRules({ ...of(value), work }));
    expect(stepsFor('b')).toBeGreaterThan(0);
    expect(stepsFor('b')).toBeLessThan(1000);
    expect(stepsFor(null)).toBe(0);
    expect(stepsFor(undefined)).toBe(0);
    expect(stepsOf(work => problemsOfRules({ ...of('b'), rules: undefined, work }))).toBe(0);
  });
});
