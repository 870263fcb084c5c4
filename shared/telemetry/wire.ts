// Creates the telemetry of a process: metrics in memory, log lines with metrics on AWS, and spans if configured.

import type { Clock } from '@capi-serverless/apimachinery';
import type { Config } from '../config/env.ts';
import { createEmfMetrics } from './emf.ts';
import { createMetricsRegistry, type MetricsRegistry } from './metrics-registry.ts';
import { startTracer } from './xray.ts';

export interface Telemetry {
  readonly metrics: MetricsRegistry;
  /** Sends the data since the last call. Never rejects. */
  flush(): Promise<void>;
}

interface TelemetryOptions {
  readonly config: Pick<Config, 'metricLevel' | 'deployment' | 'tracer'>;
  readonly functionName: string;
  readonly clock: Clock;
  /** Default: standard output. */
  readonly write?: (line: string) => void;
}

export function createTelemetry({
  config,
  functionName,
  clock,
  write = toStandardOutput,
}: TelemetryOptions): Telemetry {
  const registry = createMetricsRegistry();
  const { metricLevel: level, deployment, tracer: address } = config;
  const tracer = address === undefined ? undefined : startTracer(address, functionName);
  if (level === 'off') {
    return { metrics: registry, flush: async () => tracer?.flush() };
  }
  const emf = createEmfMetrics({ deployment, functionName, level, now: () => clock.now(), write });
  return {
    metrics: {
      count(name, labels) {
        registry.count(name, labels);
        emf.count(name, labels);
      },
      observe(name, labels, seconds) {
        registry.observe(name, labels, seconds);
        emf.observe(name, labels, seconds);
      },
      snapshot: () => registry.snapshot(),
    },
    async flush() {
      emf.flush();
      await tracer?.flush();
    },
  };
}

function toStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
