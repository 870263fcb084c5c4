import { describe, expect, it } from 'vitest';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';

describe('a registry of metrics', () => {
  it('is empty at first', () => {
    expect(createMetricsRegistry().snapshot()).toEqual([]);
  });

  it('counts occurrences', () => {
    const metrics = createMetricsRegistry();
    metrics.count('errors', { controller: 'cluster' });
    metrics.count('errors', { controller: 'cluster' });
    expect(metrics.snapshot()).toEqual([{ name: 'errors', labels: { controller: 'cluster' }, count: 2, sum: 2 }]);
  });

  it('sums observations', () => {
    const metrics = createMetricsRegistry();
    metrics.observe('seconds', {}, 0.5);
    metrics.observe('seconds', {}, 0.25);
    expect(metrics.snapshot()).toEqual([{ name: 'seconds', labels: {}, count: 2, sum: 0.75 }]);
  });

  it('keeps names and labels apart, in any order', () => {
    const metrics = createMetricsRegistry();
    metrics.count('results', { controller: 'cluster', result: 'error' });
    metrics.count('results', { result: 'error', controller: 'cluster' });
    metrics.count('results', { controller: 'cluster', result: 'success' });
    metrics.count('others', { controller: 'cluster', result: 'success' });
    expect(metrics.snapshot().map(({ name, labels, count }) => [name, labels['result'], count])).toEqual([
      ['results', 'error', 2],
      ['results', 'success', 1],
      ['others', 'success', 1],
    ]);
  });

  it('returns immutable snapshots', () => {
    const metrics = createMetricsRegistry();
    metrics.count('errors', {});
    const before = metrics.snapshot();
    metrics.count('errors', {});
    expect(before).toMatchObject([{ count: 1 }]);
  });
});
