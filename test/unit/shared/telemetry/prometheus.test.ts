import { describe, expect, it } from 'vitest';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { toPrometheusText } from '../../../../shared/telemetry/prometheus.ts';

describe('metrics in Prometheus format', () => {
  it('are counters, summaries of seconds and gauges, each family under one type', () => {
    const metrics = createMetricsRegistry();
    metrics.count('sent_total', { queue: 'a' });
    metrics.observe('reconcile_time_seconds', {}, 0.5);
    metrics.observe('reconcile_time_seconds', {}, 1);
    metrics.count('sent_total', { queue: 'b' });
    metrics.count('sent_total', { queue: 'a' });
    const gauges = [
      { name: 'pending', value: 3 },
      { name: 'silence', labels: { source: 'Cluster', state: 'watching' }, value: 1.5 },
    ];
    expect(toPrometheusText(metrics.snapshot(), gauges)).toBe(
      [
        '# TYPE sent_total counter',
        'sent_total{queue="a"} 2',
        'sent_total{queue="b"} 1',
        '# TYPE reconcile_time_seconds summary',
        'reconcile_time_seconds_sum 1.5',
        'reconcile_time_seconds_count 2',
        '# TYPE pending gauge',
        'pending 3',
        '# TYPE silence gauge',
        'silence{source="Cluster",state="watching"} 1.5',
        '',
      ].join('\n'),
    );
  });

  it('keep a label with quotes, backslashes or line breaks in one sample', () => {
    const text = toPrometheusText([], [{ name: 'g', labels: { why: 'a "b" \\ c\nd' }, value: 0 }]);
    expect(text).toBe('# TYPE g gauge\ng{why="a \\"b\\" \\\\ c\\nd"} 0\n');
  });

  it('are empty if nothing was counted', () => {
    expect(toPrometheusText([], [])).toBe('');
  });
});
