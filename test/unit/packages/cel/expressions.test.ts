// Types, estimated costs, values, counted costs and problems of expressions and schemas equal those in
// test/fixtures/cel.
import { describe, expect, it } from 'vitest';
import { outcomeOf, outcomeOfSchema, readExpressions, readSchemas } from './outcome.ts';

describe('expressions have the recorded type, cost and value', () => {
  it.each(Object.entries(readExpressions()))('%s', (_name, cases) => {
    expect(Object.fromEntries(Object.keys(cases).map(text => [text, outcomeOf(text)]))).toEqual(cases);
  });
});

describe('rules of schemas have the recorded problems and cost', () => {
  it.each(readSchemas())('$reason', one => {
    expect(outcomeOfSchema(one)).toEqual(one.outcome);
  });
});
