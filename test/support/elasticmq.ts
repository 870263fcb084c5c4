// Runs ElasticMQ for a test: SQS with the service's limits, on loopback at a free port, with nothing on disk.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configPath } from '../elasticmq/location.ts';
import { Processes } from './processes.ts';
import { spending } from './spans.ts';

export interface ElasticMq {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const program = 'elasticmq';
/**
 * The memory limit. A suite has few messages at a time. Without a limit, the JVM uses a quarter of the machine's
 * memory.
 */
const heap = '-Xmx192m';
const readyTimeoutMs = 300_000;
const pollEveryMs = 50;

/** `dir` is the folder from `findElasticMq`. Resolves when it serves requests (1 to 4 s). */
export async function startElasticMq(dir: string): Promise<ElasticMq> {
  const processes = new Processes(mkdtempSync(join(tmpdir(), 'capi-elasticmq-')));
  processes.start(program, 'java', [
    heap,
    `-Dconfig.file=${configPath}`,
    '-cp',
    join(dir, '*'),
    'org.elasticmq.server.Main',
  ]);
  try {
    return { endpoint: await spending('servers', () => readEndpoint(processes)), stop: () => processes.stop() };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

/** It prints the port that the system assigned. */
async function readEndpoint(processes: Processes): Promise<string> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    const [, endpoint] = /visible server address (http:\/\/127\.0\.0\.1:\d+)/.exec(processes.log(program)) ?? [];
    if (endpoint !== undefined) {
      return endpoint;
    }
    const failed = processes.failed();
    if (failed !== undefined || Date.now() > deadline) {
      throw new Error(`ElasticMQ did not start; ${failed ?? processes.tail(program)}`);
    }
    await delay(pollEveryMs);
  }
}
