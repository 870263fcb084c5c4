// The forwarder's process, as its container runs it. Exit codes: 0 stopped and everything sent, 1 stopped with messages
// unsent (the lists after the next start tell them), 2 could not start, 3 a defect of this program.
import { ConfigError } from '../../shared/config/env.ts';
import { createRuntime, type Runtime } from '../../shared/lambda/runtime.ts';
import { type ProbeServer, startProbeServer } from '../../shared/telemetry/probe-server.ts';
import { toPrometheusText } from '../../shared/telemetry/prometheus.ts';
import { declarations } from '../declarations.ts';
import { ForwarderProcess, missingQueues } from './process.ts';

const processName = 'watch-forwarder';
const couldNotStart = 2;
const defect = 3;

interface Started {
  readonly runtime: Runtime;
  readonly work: ForwarderProcess;
  readonly probes: ProbeServer;
}

/** Throws when the environment, the credentials or the probes' address cannot be used. */
async function start(): Promise<Started> {
  const runtime = createRuntime(processName);
  const { config, clock, log, metrics } = runtime;
  const missing = missingQueues(declarations, config.queueUrls);
  if (missing.length > 0) {
    throw new ConfigError(`Environment is not valid: CAPI_QUEUE_URLS has no ${missing.join(', ')}`);
  }
  const work = new ForwarderProcess({ ...runtime, ...config, declarations, ...(await connect(runtime)) });
  const probes = await startProbeServer(config.probeAddress, {
    unhealthy: () => [],
    unready: () => work.unready(clock.now()),
    metrics: () => toPrometheusText(metrics.snapshot(), [...work.gauges(clock.now()), ...memoryGauges()]),
  });
  log.info('Answering probes', { host: config.probeAddress.host, port: probes.port });
  return { runtime, work, probes };
}

async function connect({ kubernetes, managementCluster }: Runtime) {
  return { kubernetes: await kubernetes(), managementCluster };
}

function memoryGauges() {
  const { rss, heapUsed } = process.memoryUsage();
  return [
    { name: 'process_resident_memory_bytes', value: rss },
    { name: 'nodejs_heap_size_used_bytes', value: heapUsed },
  ];
}

/** The first signal asks for a graceful end, the second one does not wait for it. */
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

process.on('uncaughtException', error => fail(error, defect));

const { runtime, work, probes } = await start().catch(error => fail(error, couldNotStart));
const code = await work.run(onSignals(runtime)).catch(error => fail(error, defect));
await probes.close();
runtime.log.info('Stopped', { code });
process.exit(code);
