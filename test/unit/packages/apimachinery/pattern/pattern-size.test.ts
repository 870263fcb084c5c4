import { describe, expect, it } from 'vitest';
import { instructionsOf } from '../../../../../packages/apimachinery/pattern/pattern-size.ts';

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
