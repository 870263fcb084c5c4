import { describe, expect, it } from 'vitest';
import { createTelemetry } from '../../../../shared/telemetry/wire.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const clock = new SteppedClock();
const deployment = 'capi-test';

describe('what a process tells of itself', () => {
  it('stays in its memory where nobody asks for more', async () => {
    const lines: string[] = [];
    const config = { metricLevel: 'off', deployment, tracer: undefined } as const;
    const { metrics, flush } = createTelemetry({ config, functionName: 'f', clock, write: line => lines.push(line) });
    metrics.count('a_total', {});
    await flush();
    expect(metrics.snapshot()).toMatchObject([{ name: 'a_total', sum: 1 }]);
    expect(lines).toEqual([]);
  });

  it('goes out as lines, too, where metrics are asked for, and spans where a daemon is known', async () => {
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
