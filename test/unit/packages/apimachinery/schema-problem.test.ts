import { describe, expect, it } from 'vitest';
import * as full from 'zod';
import * as z from 'zod/mini';
import { toSchemaProblem } from '../../../../packages/apimachinery/schema-problem.ts';

function problemOf(schema: z.ZodMiniType, value: unknown): string {
  return toSchemaProblem(schema.safeParse(value).error);
}

describe('the problem that a schema found', () => {
  const cases: readonly { readonly schema: z.ZodMiniType; readonly value: unknown; readonly line: string }[] = [
    { schema: z.object({ a: z.string() }), value: { a: 1 }, line: 'a: expected string' },
    { schema: z.object({ a: z.array(z.int()) }), value: { a: [1, 1.5] }, line: 'a.1: expected int' },
    { schema: z.string(), value: 1, line: 'expected string' },
    { schema: z.record(z.string(), z.string()), value: [], line: 'expected object' },
    { schema: z.object({ a: z.enum(['x', 'y']) }), value: { a: 'z' }, line: 'a: expected x or y' },
    { schema: z.object({ a: z.url() }), value: { a: 'z' }, line: 'a: expected the format url' },
    { schema: z.object({ a: z.number().check(z.gte(60)) }), value: { a: 1 }, line: 'a: expected at least 60' },
    { schema: z.object({ a: z.number().check(z.lte(60)) }), value: { a: 61 }, line: 'a: expected at most 60' },
    {
      schema: z.object({ a: z.string().check(z.minLength(2)) }),
      value: { a: '' },
      line: 'a: expected at least 2 characters',
    },
    { schema: z.array(z.string()).check(z.maxLength(1)), value: ['a', 'b'], line: 'expected at most 1 items' },
    { schema: z.strictObject({}), value: { b: 1 }, line: 'unexpected b' },
    { schema: z.object({ a: z.union([z.string(), z.number()]) }), value: { a: true }, line: 'a: not valid' },
    { schema: z.object({ a: z.string('must be text') }), value: { a: 1 }, line: 'a: must be text' },
  ];

  it.each(cases)('reads $line', ({ schema, value, line }) => {
    expect(problemOf(schema, value)).toBe(line);
  });

  it('shows three of many problems and counts the rest', () => {
    const fields = { a: z.string(), b: z.string(), c: z.string(), d: z.string(), e: z.string() };
    expect(problemOf(z.object(fields), {})).toBe('a: expected string; b: expected string; c: expected string; 2 more');
  });

  it('never quotes the value', () => {
    const schema = z.object({ token: z.url(), list: z.array(z.number()) });
    expect(problemOf(schema, { token: 'canary', list: ['canary'] })).not.toContain('canary');
  });

  it('is one line for the schemas of the larger library too', () => {
    const { error } = full.object({ a: full.string(), b: full.int() }).safeParse({});
    expect(toSchemaProblem(error)).toBe('a: expected string; b: expected number');
  });
});

describe('any other error', () => {
  it('is its message on one line', () => {
    expect(toSchemaProblem(new Error('first\n  second\n'))).toBe('first second');
  });

  it('is the text of any other thrown value', () => {
    expect(toSchemaProblem('thrown')).toBe('thrown');
  });
});
