// Recorded outcomes of functions on values of every type, formats and malformed templates. Go's outcomes: upstream.test.ts.
import { describe, expect, it } from 'vitest';
import { outcomeOf, readOutcomes } from './outcomes.ts';

describe('templates have the recorded outcome', () => {
  it.each(Object.entries(readOutcomes()))('%s', (_name, cases) => {
    expect(Object.fromEntries(Object.keys(cases).map(template => [template, outcomeOf(template)]))).toEqual(cases);
  });
});
