// Recorded outcomes of functions for values of every type, formats and malformed templates. Outcomes of Go are in
// upstream.test.ts.
import { describe, expect, it } from 'vitest';
import { outcomeOf, readOutcomes } from './outcomes.ts';

describe('templates have the recorded outcome', () => {
  it.each(Object.entries(readOutcomes()))('%s', (_name, cases) => {
    expect(Object.fromEntries(Object.keys(cases).map(template => [template, outcomeOf(template)]))).toEqual(cases);
  });
});
