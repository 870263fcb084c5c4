// The estimated work to compile an expression.
import { describe, expect, it } from 'vitest';
import {
  compileOnce,
  compilePattern,
  compileWork,
  estimateWork,
  isTooLarge,
  patternLimits,
} from '../../../../../packages/apimachinery/pattern/pattern.ts';

const perInstruction = 300;
const perClass = 25_000;
const perFolded = 5;
/** All characters with other spellings. */
const all = 125_251;

describe('the work to compile an expression', () => {
  it.each([
    { source: 'abc', size: 3 + 5, classes: 0, folded: 0, reason: 'its characters and instructions' },
    { source: '\\pL\\P{Greek}x', size: 12 + 12, classes: 2, folded: 0, reason: 'Unicode classes' },
    { source: '[a-z]', size: 5 + 3, classes: 0, folded: 0, reason: 'a range with case' },
    { source: '(?i)[a-z]', size: 9 + 8, classes: 0, folded: 25, reason: 'a range without case' },
    { source: '(?si)[a-z]', size: 10 + 9, classes: 0, folded: 25, reason: 'further flags' },
    { source: '(?i)az-', size: 7 + 7, classes: 0, folded: 0, reason: 'a sign at the end' },
    { source: '(?i)[z-a]', size: 9 + 8, classes: 0, folded: 0, reason: 'an invalid range' },
    { source: '(?i)-[a-]', size: 9 + 9, classes: 0, folded: 50, reason: 'a sign between two others' },
    { source: '(?i)[a-\\z]', size: 10 + 8, classes: 0, folded: all, reason: 'a range to an escape' },
    { source: '(?i)[\\x{41}-z]', size: 14 + 8, classes: 0, folded: all, reason: 'a range from an escape' },
    { source: '(?i)[\u{1f600}-\u{1f602}]', size: 11 + 8, classes: 0, folded: 2, reason: 'a range of pairs' },
    { source: '(?i)[\u{e000}-\u{e001}]', size: 9 + 8, classes: 0, folded: 1, reason: 'units above surrogates' },
    { source: '(?i)[\0-\u{10ffff}]', size: 10 + 8, classes: 0, folded: all, reason: 'a range over everything' },
  ])('counts $reason', ({ source, size, classes, folded }) => {
    const rest = estimateWork(source) - perClass * classes - perFolded * folded;
    expect(Math.abs(rest / perInstruction - size)).toBeLessThan(3);
    expect(rest % perInstruction).toBe(0);
  });

  it('is bounded for one expression, and that of a refused one is its length', () => {
    const large = `(?i)[${'\\pL'.repeat(500)}]`;
    expect([isTooLarge(large), compileWork(large)]).toEqual([true, large.length]);
    expect(compilePattern(large)).toEqual({ ok: false, error: 'error parsing regexp: expression too large' });
    const long = 'a'.repeat(patternLimits.length + 1);
    expect(compileWork(long)).toBe(long.length);
    expect(compileWork('a+')).toBe(estimateWork('a+'));
  });

  it('is done once for each expression that is remembered', () => {
    const first = compileOnce('remembered{1,3}');
    expect(compileOnce('remembered{1,3}')).toBe(first);
    for (let index = 0; index < 30; index += 1) {
      compileOnce(`(?:a{900})${index}`);
    }
    expect(compileOnce('remembered{1,3}')).not.toBe(first);
  });
});
