// The complete system on one machine: in-process queues, the bundled functions that poll them, and the event sources.

import type { Clock, Kubernetes } from '@capi-serverless/apimachinery';
import type { Declaration, Log } from '@capi-serverless/reconciler';
import type { Bundle } from '../infra/bundles/bundle.ts';
import { type FunctionPlan, resyncFunction } from '../infra/function-plans.ts';
import { parseConfig } from '../shared/config/env.ts';
import type { NewId } from '../shared/workqueue/ids.ts';
import type { QueueSpec } from '../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../shared/workqueue/sqs/sqs-queues.ts';
import { type EnvironmentOptions, toEnvironment } from './environment.ts';
import { type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts';
import { loadFunction } from './load-function.ts';
import { toWorkloadEnvironment } from './provider/simulated-workload.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { type LocalSqs, startSqs } from './sqs.ts';
import { type RunningSource, type SourcesOptions, startSources } from './start-sources.ts';
import { startWorkloadApi } from './workload-api.ts';

interface WorldOptions extends EnvironmentOptions, Pick<SourcesOptions, 'sources' | 'audit' | 'windowed'> {
  /** The settings of the forwarder. */
  readonly kubernetes: Kubernetes;
  readonly declarations: readonly Declaration[];
  readonly queues: readonly QueueSpec[];
  readonly functions: readonly FunctionPlan[];
  /** The bundles of these functions. */
  readonly bundles: readonly Pick<Bundle, 'name' | 'file'>[];
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

export interface LocalWorld {
  readonly queueUrls: LocalSqs['queueUrls'];
  /** Stops the sources, waits for batches in progress, then stops the queues. */
  stop(): Promise<void>;
}

/**
 * Starts all parts. Functions read their settings from the process environment, so a process can contain only one
 * system.
 */
export async function startWorld(options: WorldOptions): Promise<LocalWorld> {
  const { declarations, clock, log } = options;
  const [sqs, workloadApi] = await Promise.all([
    startSqs({ queues: options.queues }),
    startWorkloadApi(clock, options.kubernetes),
  ]);
  Object.assign(process.env, toEnvironment(options, sqs), toWorkloadEnvironment(workloadApi.workload));
  const { concurrency: maximumConcurrency, timeLimitFactor } = parseConfig(process.env);
  const queues = createSqsQueues({ queueUrls: sqs.queueUrls, timeLimitFactor });
  const loaded = await Promise.all(options.bundles.map(bundle => loadFunction(bundle, options.functions)));
  const mappings = loaded.map(({ queue, batchSize, target }) =>
    startEventSourceMapping({ queue, batchSize, queues, target, clock, log, maximumConcurrency }),
  );
  const schedules = loaded
    .filter(({ target }) => target.name === resyncFunction)
    .map(({ target }) =>
      startSchedule({ name: resyncFunction, periodMs: options.resyncPeriodSeconds * 1000, target, clock, log }),
    );
  const sources = await startSources({
    sources: options.sources,
    audit: options.audit,
    windowed: options.windowed,
    forwarder: {
      declarations,
      kubernetes: { reads: options.kubernetes, watches: options.kubernetes.watches },
      queues,
      managementCluster: options.managementCluster,
      watchFilter: options.watchFilter,
      clock,
      newId: options.newId,
      log,
    },
  });
  return {
    queueUrls: sqs.queueUrls,
    stop: async () => {
      const stopping: readonly (RunningSource | Schedule)[] = [...sources, ...schedules];
      await Promise.all(stopping.map(source => source.stop()));
      await Promise.all(mappings.map((mapping: EventSourceMapping) => mapping.stop()));
      await Promise.all([sqs.stop(), workloadApi.stop()]);
    },
  };
}
