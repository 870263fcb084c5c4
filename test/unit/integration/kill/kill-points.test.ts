import { describe, expect, it } from 'vitest';
import { chooseKillPoints, toText } from '../../../integration/kill/kill-points.ts';

describe('kill points on a real API server', () => {
  const sample = (seed: number) => chooseKillPoints(100, { wish: undefined, seed, size: 8 }).map(toText);

  it('have the requested number, are reached by every run, and depend on the seed', () => {
    expect(new Set(sample(1)).size).toBe(8);
    expect(sample(1)).toEqual(sample(1));
    expect(sample(2)).not.toEqual(sample(1));
    const requests = Array.from({ length: 50 }, (_, seed) => sample(seed)).flatMap(points =>
      points.map(Number.parseFloat),
    );
    expect(Math.min(...requests)).toBeGreaterThan(0);
    expect(Math.max(...requests)).toBeLessThanOrEqual(80);
  });

  it('rotate over all requests and both moments', () => {
    const seen = new Set(Array.from({ length: 200 }, (_, seed) => sample(seed)).flat());
    expect(seen.size).toBe(160);
  });

  it('are all of them, or the named ones', () => {
    expect(chooseKillPoints(10, { wish: 'all', seed: 1, size: 1 })).toHaveLength(16);
    expect(chooseKillPoints(3, { wish: undefined, seed: 1, size: 8 })).toHaveLength(4);
    expect(chooseKillPoints(10, { wish: '17:answered,20:sent', seed: 1, size: 1 })).toEqual([
      { request: 17, moment: 'answered' },
      { request: 20, moment: 'sent' },
    ]);
  });

  it.each(['', '0:sent', '17', '17:later', '17:sent,'])('refuse "%s"', wish => {
    expect(() => chooseKillPoints(10, { wish, seed: 1, size: 1 })).toThrow('A kill point is like');
  });
});
