// Rules of ClusterClass variables that would block a function or exhaust its memory.

import { compileRules, createBudget, evaluateRules, limits } from '@capi-serverless/cel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Attack } from './attack.ts';

function evaluate(rule: string, value: string): readonly string[] {
  const schema = { type: 'string', maxLength: 100_000, 'x-kubernetes-validations': [{ rule }] };
  const { rules } = compileRules(schema, { path: 'schema' });
  return evaluateRules(rules, { value, path: 'value', budget: createBudget(limits.object) }).map(
    ({ detail }) => detail,
  );
}

const long = 'a'.repeat(20_000);
const exhausted = 'call cost exceeds limit for rule';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a rule', () => {
  it.each<Attack>([
    {
      reason: 'finds all matches of an expression that reads to the end of the text for each',
      run: () => ({ error: evaluate("self.findAll('a(?:[^b]*b)?').size() > 0", long)[0] }),
      says: exhausted,
    },
    {
      reason: 'finds many matches of it',
      run: () => ({ error: evaluate("self.findAll('a(?:[^b]*b)?', 20000).size() > 0", long)[0] }),
      says: exhausted,
    },
  ])('$reason: is refused', ({ run, says }) => {
    expect(run().error).toContain(says);
  });

  it('finds all matches of a fixed expression in a long text', () => {
    expect(evaluate("self.findAll('a').size() == 20000", long)).toEqual([]);
  });

  it('reads a time zone in any case of its name, and knows no other', () => {
    const hour = (zone: string): readonly string[] =>
      evaluate(`timestamp('2024-01-01T00:00:00Z').getHours(self) == 1`, zone);
    expect(['Europe/Berlin', 'europe/BERLIN', 'EUROPE/berlin', 'CET'].map(hour)).toEqual([[], [], [], []]);
    expect(hour('Mars/Base')[0]).toContain('unknown time zone Mars/Base');
    expect(hour('x'.repeat(1000))[0]).toContain('unknown time zone');
  });

  it('makes one format for all spellings of the name of a time zone', () => {
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    const name = 'pacific/kiritimati';
    const spellings = Array.from({ length: 200 }, (_, number) =>
      [...name].map((letter, at) => ((number >> (at % 8)) & 1 ? letter.toUpperCase() : letter)).join(''),
    );
    for (const spelling of spellings) {
      expect(evaluate(`timestamp('2024-01-01T00:00:00Z').getHours(self) == 14`, spelling)).toEqual([]);
    }
    expect(new Set(spellings).size).toBeGreaterThan(100);
    expect(made).toHaveBeenCalledTimes(1);
  });
});
