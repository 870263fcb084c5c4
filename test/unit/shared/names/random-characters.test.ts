import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { randomnessOf } from '../../../../shared/names/random-characters.ts';

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest();

describe('the characters of a name', () => {
  it('are always the same for the same purpose', () => {
    expect(randomnessOf(['a', 'b'], 0, sha256)).toEqual({ random: 'v9ss6', ending: 'rsmpr' });
    expect(randomnessOf(['a', 'b'], 0, sha256)).toEqual(randomnessOf(['a', 'b'], 0, sha256));
  });

  it.each([
    { seed: ['a', 'b'], n: 1, reason: 'the next candidate' },
    { seed: ['ab'], n: 0, reason: 'another purpose' },
    { seed: ['b', 'a'], n: 0, reason: 'another order' },
  ])('differ for $reason', ({ seed, n }) => {
    expect(randomnessOf(seed, n, sha256)).not.toEqual(randomnessOf(['a', 'b'], 0, sha256));
  });

  it('use all letters of upstream, and no others', () => {
    const texts = Array.from({ length: 500 }, (_, n) => {
      const { random, ending } = randomnessOf(['seed'], n, sha256);
      expect(random).toHaveLength(5);
      return random + ending;
    });
    expect([...new Set(texts.join(''))].toSorted().join('')).toBe('2456789bcdfghjklmnpqrstvwxz');
  });
});
