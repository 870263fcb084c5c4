import { describe, expect, it } from 'vitest';
import { publishedMetrics, toDimensionSets, unitOf } from '../../../../shared/telemetry/published-metrics.ts';

describe('a published metric', () => {
  it('has no dimension with values that users choose', () => {
    const chosen = new Set(['namespace', 'source', 'kind', 'trace']);
    const labels = publishedMetrics.flatMap(metric => metric.labels);
    expect(labels.filter(label => chosen.has(label))).toEqual([]);
  });

  it('is listed once', () => {
    const names = publishedMetrics.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(publishedMetrics)('$name has few dimensions at each level', ({ name, level, labels }) => {
    expect(toDimensionSets(name, 'off')).toEqual([]);
    expect(toDimensionSets(name, 'few')).toEqual(level === 'few' ? [['deployment']] : []);
    expect(toDimensionSets(name, 'all').at(-1)).toEqual(['deployment', ...labels]);
    expect(toDimensionSets(name, 'all')).toHaveLength(level === 'few' ? 2 : 1);
  });

  it('has the unit in its name', () => {
    for (const { name, unit } of publishedMetrics) {
      expect(unit).toBe(name.endsWith('_seconds') ? 'Seconds' : 'Count');
      expect(unitOf(name)).toBe(unit);
    }
  });

  it('is undefined if it is not listed', () => {
    expect(toDimensionSets('else', 'all')).toEqual([]);
    expect(unitOf('else')).toBe('Count');
  });
});
