import { describe, expect, it } from 'vitest';
import { createTelemetry } from '../../../../shared/telemetry/wire.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const clock = new SteppedClock();
const deployment = 'capi-test';

describe('the telemetry of a process', () => {
  it('stays in memory by default', async () => {
    const lines: string[] = [];
    const config = { metricLevel: 'off', deployment, tracer: undefined } as const;
    const { metrics, flush } = createTelemetry({ config, functionName: 'f', clock, write: line => lines.push(line) });
    metrics.count('a_total', {});
    await flush();
    expect(metrics.snapshot()).toMatchObject([{ name: 'a_total', sum: 1 }]);
    expect(lines).toEqual([]);
  });

  it('is also written as lines if metrics are enabled, and as spans if a daemon is configured', async () => {
    const lines: string[] = [];
    const config = { metricLevel: 'few', deployment, tracer: '127.0.0.1:9' } as const;
    const { metrics, flush } = createTelemetry({ config, functionName: 'f', clock, write: line => lines.push(line) });
    metrics.count('a_total', { controller: 'c' });
    metrics.observe('b_seconds', {}, 0.5);
    await flush();
    expect(metrics.snapshot()).toHaveLength(2);
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { deployment, function: 'f', controller: 'c', a_total: 1 },
      { deployment, function: 'f', b_seconds: [0.5] },
    ]);
  });
});
