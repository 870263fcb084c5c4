// The main program of the forwarder's container. Exit codes: 0 stopped and all messages sent, 1 stopped with unsent
// messages, 2 start failed, 3 unexpected error. The lists after the next start send unsent messages again.

import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { ConfigError } from '../../shared/config/env.ts';
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadWatches } from '../../shared/kubernetes/rest/workload-watches.ts';
import { createRuntime, type Runtime } from '../../shared/lambda/runtime.ts';
import { type ProbeServer, startProbeServer } from '../../shared/telemetry/probe-server.ts';
import { toPrometheusText } from '../../shared/telemetry/prometheus.ts';
import { heartbeatQueue } from '../../shared/workqueue/queue-names.ts';
import { declarations } from '../declarations.ts';
import { keepBeating } from './heartbeat.ts';
import { ForwarderProcess, missingQueues } from './process.ts';

const processName = 'watch-forwarder';
const couldNotStart = 2;
const defect = 3;

interface Started {
  readonly runtime: Runtime;
  readonly work: ForwarderProcess;
  readonly probes: ProbeServer;
}

/** Throws if the environment, the credentials or the address of the probes is invalid. */
async function start(): Promise<Started> {
  const runtime = createRuntime(processName);
  const { config, clock, log, metrics } = runtime;
  const running = ofGates(declarations, config.featureGates);
  const missing = missingQueues(running, config.queueUrls);
  if (missing.length > 0) {
    throw new ConfigError(`Environment is not valid: CAPI_QUEUE_URLS has no ${missing.join(', ')}`);
  }
  const work = new ForwarderProcess({ ...runtime, ...config, declarations: running, ...(await connect(runtime)) });
  const probes = await startProbeServer(config.probeAddress, {
    unhealthy: () => [],
    unready: () => work.unready(clock.now()),
    metrics: () => toPrometheusText(metrics.snapshot(), [...work.gauges(clock.now()), ...memoryGauges()]),
  });
  log.info('Answering probes', { host: config.probeAddress.host, port: probes.port });
  return { runtime, work, probes };
}

async function connect({ config, kubernetes, managementCluster }: Runtime) {
  const client = await kubernetes();
  const nodes = {
    reads: client,
    connect: createWorkloadWatches({ addresses: config.remoteAddresses, client: processName, userAgent }),
  };
  return { kubernetes: client, managementCluster, ...(config.watchesNodes ? { nodes } : {}) };
}

function memoryGauges() {
  const { rss, heapUsed } = process.memoryUsage();
  return [
    { name: 'process_resident_memory_bytes', value: rss },
    { name: 'nodejs_heap_size_used_bytes', value: heapUsed },
  ];
}

/** The first signal stops the process gracefully. The second signal stops it immediately. */
function onSignals(runtime: Runtime): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        process.exit(1);
      }
      runtime.log.info('Stopping: sending what is pending', { signal });
      stopping.abort();
    });
  }
  return stopping.signal;
}

function fail(error: unknown, code: number): never {
  const text = error instanceof Error && code === defect ? error.stack : undefined;
  process.stderr.write(`${processName}: ${text ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(code);
}

/** Sends heartbeats if the deployment has a queue for them. */
async function beat({ runtime, work }: Started, signal: AbortSignal): Promise<void> {
  const { config, clock, queues, log } = runtime;
  if (Object.hasOwn(config.queueUrls, heartbeatQueue)) {
    const unready = (): readonly string[] => work.unready(clock.now());
    await keepBeating({ queue: heartbeatQueue, queues, clock, log, unready }, signal);
  }
}

const flushMetricsMs = 60_000;

/** Writes metrics as log lines, for CloudWatch's embedded metric format, if the environment enables it. */
async function flushMetrics({ runtime: { clock, flush } }: Started, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(flushMetricsMs, signal);
    await flush();
  }
}

process.on('uncaughtException', error => fail(error, defect));

const started = await start().catch(error => fail(error, couldNotStart));
const { runtime, work, probes } = started;
const stopping = onSignals(runtime);
const background = Promise.all([beat(started, stopping), flushMetrics(started, stopping)]);
const code = await work.run(stopping).catch(error => fail(error, defect));
await background;
await probes.close();
runtime.log.info('Stopped', { code });
process.exit(code);
