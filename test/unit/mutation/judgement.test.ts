import { describe, expect, it } from 'vitest';
import { falseAlarm, fewestNoticed } from '../../mutation/judgement.ts';
import { isInSample } from '../../mutation/sample.ts';
import { createRandom } from '../../simulation/engine/random.ts';

describe('a set of which all mutants were tested', () => {
  it.each([
    { tested: 1000, lowestScore: 90, least: 900, reason: 'its lowest score' },
    { tested: 347, lowestScore: 90, least: 313, reason: '312.3, rounded up' },
    { tested: 10, lowestScore: 80, least: 8, reason: 'exact despite floating point' },
  ])('needs $least of $tested at $lowestScore %: $reason', ({ tested, lowestScore, least }) => {
    expect(fewestNoticed(tested, lowestScore, true)).toBe(least);
  });
});

describe('a set of which a sample was tested', () => {
  it.each([
    // The expected values are scipy.stats.binom.ppf(1e-6, tested, lowestScore / 100).
    { tested: 60, lowestScore: 90, least: 41 },
    { tested: 60, lowestScore: 80, least: 32 },
    { tested: 250, lowestScore: 90, least: 200 },
    { tested: 1000, lowestScore: 80, least: 738 },
  ])('needs $least of $tested at $lowestScore %', ({ tested, lowestScore, least }) => {
    expect(fewestNoticed(tested, lowestScore, false)).toBe(least);
  });

  it('is never judged more strictly than the whole set', () => {
    for (let tested = 1; tested <= 400; tested += 1) {
      expect(fewestNoticed(tested, 90, false)).toBeLessThanOrEqual(fewestNoticed(tested, 90, true));
    }
  });

  it('passes 10,000 times when its set just reaches the lowest score, and fails when half of the mutants go unnoticed', () => {
    const random = createRandom('sets');
    const passes = (score: number): boolean => {
      const noticed = Array.from({ length: 60 }, () => random.chance(score)).filter(Boolean).length;
      return noticed >= fewestNoticed(60, 90, false);
    };
    expect(Array.from({ length: 10_000 }, () => passes(0.9))).not.toContain(false);
    expect(Array.from({ length: 100 }, () => passes(0.45))).not.toContain(true);
    expect(falseAlarm).toBeLessThan(1e-5);
  });
});

describe('a sample of mutants', () => {
  const mutants = Array.from({ length: 5_000 }, (_, index) => String(index));
  const drawn = (of: string, share: number) => mutants.filter(id => isInSample(id, { share, of }));

  it('has about the requested size, and is the same for the same seed', () => {
    expect(drawn('7/cluster', 0.05).length).toBeGreaterThan(180);
    expect(drawn('7/cluster', 0.05).length).toBeLessThan(320);
    expect(drawn('7/cluster', 0.05)).toEqual(drawn('7/cluster', 0.05));
    expect(drawn('7/cluster', 1)).toEqual(mutants);
  });

  it('is another one for each seed and each set, so that 100 seeds test nearly all mutants', () => {
    expect(drawn('8/cluster', 0.05)).not.toEqual(drawn('7/cluster', 0.05));
    expect(drawn('7/kernel', 0.05)).not.toEqual(drawn('7/cluster', 0.05));
    const seen = new Set(Array.from({ length: 100 }, (_, seed) => drawn(`${seed}/cluster`, 0.05)).flat());
    expect(seen.size).toBeGreaterThan(0.98 * mutants.length);
  });
});
