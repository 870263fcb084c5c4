// The event sources of a local run: they enqueue the objects to reconcile.
import { createForwarder, type ForwarderOptions } from '../functions/watch-forwarder/forwarder.ts';
import type { Bundle } from '../infra/bundles/bundle.ts';
import { type SourcePlan, windowedPeriodSeconds } from '../infra/function-plans.ts';
import { createMetricsRegistry } from '../shared/telemetry/metrics-registry.ts';
import type { FunctionUrl } from './function-url.ts';
import { loadTarget } from './load-function.ts';
import { startSchedule } from './schedule.ts';
import type { SourceName } from './source-names.ts';

export interface SourcesOptions {
  readonly sources: readonly SourceName[];
  readonly forwarder: Omit<ForwarderOptions, 'metrics'>;
  /** Required for the source 'audit'. */
  readonly audit: (SourceFunction & { readonly functionUrl: FunctionUrl }) | undefined;
  /** Required for the source 'windowed'. */
  readonly windowed: SourceFunction | undefined;
}

export interface SourceFunction {
  readonly plan: SourcePlan;
  readonly bundle: Pick<Bundle, 'file'>;
}

export interface RunningSource {
  /** Accepts no further events. Resolves after every accepted event was enqueued. */
  stop(): Promise<void>;
}

/** Sources that are functions read the process environment. */
export function startSources(options: SourcesOptions): Promise<readonly RunningSource[]> {
  return Promise.all(options.sources.map(name => start(name, options)));
}

function start(name: SourceName, options: SourcesOptions): RunningSource | Promise<RunningSource> {
  switch (name) {
    case 'forwarder':
      return startForwarder(options);
    case 'audit':
      return startAudit(options);
    case 'windowed':
      return startWindowed(options);
    default:
      return name satisfies never;
  }
}

function startForwarder({ forwarder: options }: SourcesOptions): RunningSource {
  const forwarder = createForwarder({ ...options, metrics: createMetricsRegistry() });
  const stopping = new AbortController();
  const ended = forwarder.run(stopping.signal);
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

async function startAudit({ audit, forwarder: { clock, log } }: SourcesOptions): Promise<RunningSource> {
  if (audit === undefined) {
    throw new Error('The source audit has no function');
  }
  audit.functionUrl.serve({ target: await loadTarget(audit.bundle, audit.plan), clock, log });
  return { stop: () => audit.functionUrl.stop() };
}

/** Invokes the function immediately, and then once per minute. */
async function startWindowed({ windowed, forwarder: { clock, log } }: SourcesOptions): Promise<RunningSource> {
  if (windowed === undefined) {
    throw new Error('The source windowed has no function');
  }
  const target = await loadTarget(windowed.bundle, windowed.plan);
  const periodMs = windowedPeriodSeconds * 1_000;
  return startSchedule({ name: windowed.plan.name, periodMs, firstAfterMs: 0, target, clock, log });
}
