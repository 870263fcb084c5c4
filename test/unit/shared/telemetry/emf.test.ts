import { describe, expect, it } from 'vitest';
import type { MetricLevel } from '../../../../shared/config/metric-levels.ts';
import { reconcileErrors, reconcileSeconds, reconcileTotal } from '../../../../shared/kernel/metrics.ts';
import { createEmfMetrics } from '../../../../shared/telemetry/emf.ts';

function metricsOf(level: MetricLevel) {
  const lines: Record<string, unknown>[] = [];
  const metrics = createEmfMetrics({
    deployment: 'capi-test',
    functionName: 'cluster',
    level,
    now: () => 1_767_225_600_000,
    write: line => lines.push(JSON.parse(line)),
  });
  return { metrics, lines };
}

const controller = 'cluster';

describe('metrics as log lines', () => {
  it('sum counters and keep each timing, with one line per set of labels', () => {
    const { metrics, lines } = metricsOf('all');
    metrics.count(reconcileTotal, { controller, result: 'success' });
    metrics.count(reconcileTotal, { result: 'success', controller });
    metrics.observe(reconcileSeconds, { controller }, 0.5);
    metrics.observe(reconcileSeconds, { controller }, 0.25);
    metrics.flush();
    expect(lines).toEqual([
      {
        _aws: {
          Timestamp: 1_767_225_600_000,
          CloudWatchMetrics: [
            {
              Namespace: 'capi-serverless',
              Dimensions: [['deployment', 'controller', 'result']],
              Metrics: [{ Name: reconcileTotal, Unit: 'Count' }],
            },
          ],
        },
        deployment: 'capi-test',
        function: 'cluster',
        controller,
        result: 'success',
        [reconcileTotal]: 2,
      },
      expect.objectContaining({ controller, [reconcileSeconds]: [0.5, 0.25] }),
    ]);
  });

  it('are CloudWatch metrics only if they are rare, and per deployment only, unless all are enabled', () => {
    const { metrics, lines } = metricsOf('few');
    metrics.count(reconcileTotal, { controller, result: 'success' });
    metrics.count(reconcileErrors, { controller });
    metrics.flush();
    expect(lines[0]).toEqual({
      deployment: 'capi-test',
      function: 'cluster',
      controller,
      result: 'success',
      [reconcileTotal]: 1,
    });
    expect(lines[1]).toMatchObject({
      _aws: {
        CloudWatchMetrics: [{ Dimensions: [['deployment']], Metrics: [{ Name: reconcileErrors, Unit: 'Count' }] }],
      },
      controller,
      [reconcileErrors]: 1,
    });
  });

  it('are written once', () => {
    const { metrics, lines } = metricsOf('few');
    metrics.count(reconcileErrors, { controller });
    metrics.flush();
    metrics.flush();
    expect(lines).toHaveLength(1);
  });

  it('are split into further lines at the maximum number of values', () => {
    const { metrics, lines } = metricsOf('all');
    for (let each = 0; each < 150; each += 1) {
      metrics.observe(reconcileSeconds, { controller }, each);
    }
    metrics.flush();
    expect(lines.map(line => (line[reconcileSeconds] as readonly number[]).length)).toEqual([100, 50]); // true: timings are lists
  });
});
