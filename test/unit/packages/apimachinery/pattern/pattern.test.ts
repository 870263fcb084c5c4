// Expressions that need exponential time in backtracking engines. Each is refused because of its size, or needs a
// limited number of steps per character.
import { describe, expect, it } from 'vitest';
import { compilePattern, type Pattern, patternLimits } from '../../../../../packages/apimachinery/pattern/pattern.ts';

function compiled(source: string): Pattern {
  const result = compilePattern(source);
  if (!result.ok) {
    throw new Error(result.error);
  }
  return result.value;
}

describe('expressions that explode elsewhere', () => {
  it.each([
    { source: '(a+)+$', attack: 'a', most: 10 },
    { source: '(a*)*b', attack: 'a', most: 10 },
    { source: '(a|a)*b', attack: 'a', most: 12 },
    { source: '(a|aa)+$', attack: 'a', most: 12 },
    { source: '([a-zA-Z]+)*$', attack: 'a', most: 10 },
    { source: '(.*a){12}$', attack: 'a', most: 100 },
    { source: '^(([a-z])+.)+[A-Z]([a-z])+$', attack: 'a', most: 25 },
    { source: '(x+x+)+y', attack: 'x', most: 15 },
    { source: '(.*)(.*)(.*)(.*)(.*)b', attack: 'a', most: 40 },
    { source: '^(a?){50}a{50}$', attack: 'a', most: 300 },
    { source: '(([^/]*/)*)x', attack: '/', most: 20 },
    { source: '(?:(?:a{0,20}){0,20})b', attack: 'a', most: 1000 },
    { source: '^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+$', attack: 'a', most: 30 },
    { source: '(\\s*\\w*)*\\d$', attack: ' ', most: 25 },
    { source: '(?i)(a|A)*b', attack: 'a', most: 12 },
  ])('$source: steps grow with the text alone', ({ source, attack, most }) => {
    const pattern = compiled(source);
    expect(pattern.instructions).toBeLessThanOrEqual(most);
    // The length of the longest text for which the limit permits every instruction to visit every character.
    const longest = Math.floor(patternLimits.steps / pattern.instructions) - 1;
    expect(pattern.test(`${attack.repeat(Math.min(longest, 5000) - 1)}!`)).toMatch(/^(matches|differs)$/);
    expect(pattern.test(attack.repeat(longest + 1))).toBe('too much work');
    expect(pattern.find(attack.repeat(longest + 1), 1, () => undefined)).toBeUndefined();
  });

  it.each([
    { source: '(a{1000}){1000}', says: 'too large' },
    { source: '((a{30}){30}){30}', says: 'too large' },
    { source: '(((a{10}){10}){10}){10}', says: 'too large' },
    { source: 'x{1000}'.repeat(11), says: 'too large' },
    { source: '(a{1,100}){1,100}', says: 'too large' },
    { source: 'a'.repeat(10_001), says: 'longer than 10000' },
    { source: `${'('.repeat(1500)}${')'.repeat(1500)}`, says: 'nests too deeply' },
    { source: 'a{1001}', says: 'invalid repeat count' },
  ])('$says: an expression that memory could not hold', ({ source, says }) => {
    expect(compilePattern(source)).toEqual({ ok: false, error: expect.stringContaining(says) });
  });
});

describe('the syntax of RE2', () => {
  it.each([
    { source: '[', says: 'error parsing regexp: missing closing ]: `[`' },
    { source: '(?=a)', says: 'invalid or unsupported Perl syntax' },
    { source: '(a)\\1', says: 'invalid escape sequence' },
    { source: '(?<=a)b', says: 'invalid' },
    { source: 'a**', says: 'invalid nested repetition operator' },
  ])('refuses $source', ({ source, says }) => {
    expect(compilePattern(source)).toEqual({ ok: false, error: expect.stringContaining(says) });
  });

  it.each([
    { source: 'b', text: 'abc', verdict: 'matches', reason: 'expressions are not anchored' },
    { source: '^b', text: 'abc', verdict: 'differs', reason: 'unless they are marked' },
    { source: '^.$', text: '😀', verdict: 'matches', reason: 'a character is a code point' },
    { source: '^a$', text: 'b\na', verdict: 'differs', reason: 'lines do not count' },
    { source: '(?m)^a$', text: 'b\na', verdict: 'matches', reason: 'unless they are requested' },
    { source: '^[^\\]{2}]+\\{2}$', text: 'ab{{', verdict: 'differs', reason: 'escaped braces repeat' },
    { source: 'a{2}', text: 'aa', verdict: 'matches', reason: 'repetitions' },
    { source: 'a{,2}', text: 'a{,2}', verdict: 'matches', reason: 'what is not a repetition is text' },
    { source: '\\pL+', text: 'é', verdict: 'matches', reason: 'classes of Unicode' },
  ])('$reason', ({ source, text, verdict }) => {
    expect(compiled(source).test(text)).toBe(verdict);
  });

  it('finds all matches, or the requested number', () => {
    expect(compiled('[0-9]+').find('1a22b333', Number.POSITIVE_INFINITY, () => undefined)).toEqual(['1', '22', '333']);
    expect(compiled('[0-9]+').find('1a22b333', 2, () => undefined)).toEqual(['1', '22']);
    expect(compiled('[0-9]+').find('abc', 2, () => undefined)).toEqual([]);
  });
});

it.each([
  { source: 'a)b', problem: 'unexpected ): `a)b`', reason: 'an unmatched parenthesis' },
  {
    source: '(a{0,5})'.repeat(900),
    problem: 'expression too large',
    reason: 'larger than estimated before compilation',
  },
])('refuses $reason', ({ source, problem }) => {
  const result = compilePattern(source);
  expect(result.ok ? '' : result.error).toContain(problem);
});
