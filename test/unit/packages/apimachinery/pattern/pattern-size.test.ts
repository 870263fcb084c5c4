import { describe, expect, it } from 'vitest';
import { instructionsOf, searchWork } from '../../../../../packages/apimachinery/pattern/pattern-size.ts';

describe('the size of an expression before it is compiled', () => {
  it.each([
    { source: 'a', size: 3, reason: 'a character, and what each expression takes' },
    { source: '[^]a\\]b]{3}', size: 5, reason: 'a class is one part, whatever brackets are in it' },
    { source: '[a', size: 3, reason: 'a class without end' },
    { source: '\\[', size: 3, reason: 'an escaped bracket begins no class' },
    { source: 'a{2,}', size: 5, reason: 'a repetition without bound' },
    { source: 'a{', size: 4, reason: 'a brace that repeats nothing is a character' },
    { source: 'a+{2}', size: 6, reason: 'an operator is repeated with its part' },
    { source: '(a', size: 3, reason: 'a group without end' },
  ])('is $size for $source: $reason', ({ source, size }) => {
    expect(instructionsOf(source)).toBe(size);
  });
});

describe('the work of finding all matches', () => {
  it.each([
    { source: 'a', ahead: false, reason: 'a fixed text' },
    { source: 'a{2,5}b?', ahead: false, reason: 'a bounded repetition' },
    { source: '[a-z]+', ahead: false, reason: 'one repeated class ends where the match ends' },
    { source: '(\\s*)', ahead: false, reason: 'the same in a group' },
    { source: '[*+]x', ahead: false, reason: 'operators in a class are characters' },
    { source: '\\*\\+', ahead: false, reason: 'as are escaped ones' },
    { source: 'a.*b|a', ahead: true, reason: 'an alternative reads on' },
    { source: 'a(?:[^b]*b)?', ahead: true, reason: 'as does an optional part' },
    { source: 'a{2,}b', ahead: true, reason: 'a repetition without an end' },
    { source: '\\Q[\\E(.*b)?', ahead: true, reason: 'quoted text hides what follows' },
  ])('$reason: $source', ({ source, ahead }) => {
    // The work of five instructions on a text of a million characters.
    const work = searchWork(source, 5, 1_000_000);
    expect(work.first).toBe(5_000_005);
    expect(work.next(0)).toBeGreaterThan(ahead ? 5_000_000 : 200);
    expect(work.next(0)).toBeLessThan(ahead ? 5_001_000 : 40_000);
    expect(work.next(1_000_000)).toBeLessThan(300);
  });
});
